package sqldb

import (
	"context"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// dialect is what differs between databases (operators 7.1).
type dialect struct {
	name    string // of the operator, of its block of parameters and of what it stores
	secrets string // what the names of its secrets begin with
	port    int    // that it has unless the task says otherwise
	// secretTimeouts is set if secrets may have the timeouts, too.
	secretTimeouts bool
	quote          string // what stands around names, and twice within them
	// readOnly and readWrite are sent before and after a query whose result is used.
	readOnly, readWrite string
	connect             func(ctx context.Context, to login) (connection, error)
	// once runs work unless the status table says that it was done before, in one transaction with the entry that says so.
	once func(ctx context.Context, s *status, work func() error) error
}

// login says where a database is, and as whom to enter it.
type login struct {
	host                          string
	port                          int
	user, password, database      string
	ssl                           bool
	schema                        string // empty for the server's default
	connectTimeout, socketTimeout time.Duration
}

// connection is a connection to a database. It belongs to one run. After an error of the server nothing more can be
// done with it, except where a method says so.
type connection interface {
	// run runs all statements of a text and drops their results.
	run(ctx context.Context, text string) error
	// update is run for statements of which none may have a result.
	update(ctx context.Context, text string) error
	// query runs a text that has one result, and passes that to take before all of it has come.
	query(ctx context.Context, text string, take func(rows) error) error
	// close ends the connection, and what still runs in it.
	close()
}

// rows is a result, row by row. It starts before the first one.
type rows interface {
	columns() []string
	// next goes to the next row. It reports false after the last one.
	next() (bool, error)
	// appendText appends the text that field i of the row has in a file. It reports false for a null.
	appendText(dst []byte, i int) ([]byte, bool)
	// value returns field i of the row as a parameter.
	value(i int) param.Value
}

// serverError is an error that the server answers.
type serverError struct {
	state string // SQLSTATE
	text  string
}

func (e *serverError) Error() string { return e.text }

// table is the name of a table, as an option has it: the schema, if there is one, ends at the first dot (operators 1.5).
type table struct {
	schema, name string
}

func tableOf(text string) table {
	if schema, name, found := strings.Cut(text, "."); found {
		return table{schema: schema, name: name}
	}
	return table{name: text}
}

// quoted returns a name as it stands in statements.
func (d *dialect) quoted(name string) string {
	return d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote
}

// table returns the name of a table as it stands in statements.
func (d *dialect) table(t table) string {
	if t.schema == "" {
		return d.quoted(t.name)
	}
	return d.quoted(t.schema) + "." + d.quoted(t.name)
}
