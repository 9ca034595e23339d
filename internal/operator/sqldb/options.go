package sqldb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Options are the system's settings (operators 11). The zero value has the defaults.
type Options struct {
	PG, Redshift, MySQL Settings
	// Env looks up a variable of the environment, for the proxies on the way to AWS. Nil for none.
	Env func(string) (string, bool)
}

// Settings are those of one kind of database. Zero stands for the default.
type Settings struct {
	MaxConnections int // to one server at a time; 20
	// What store_last_results may store: 8192 rows, 64 columns, 256 characters in a text.
	MaxRows, MaxColumns, MaxValueSize int
}

const (
	defaultConnections = 20
	defaultRows        = 8192
	defaultColumns     = 64
	defaultValueSize   = 256

	defaultConnectTimeout = 30 * time.Second
	defaultSocketTimeout  = 30 * time.Minute
	defaultCleanup        = 24 * time.Hour
	defaultStatusTable    = "__digdag_status"
)

// Texts of options that exclude each other (operators 7.1).
const (
	insertAndCreate   = "Can't use both of insert_into and create_table"
	downloadAndInsert = "Can't use download_file with insert_into or create_table"
	storeAndInsert    = "Can't use store_last_results with insert_into or create_table"
	downloadAndStore  = "Can't use both download_file and store_last_results at once"
	badStore          = `last_results must be either of "first" or "all": `
)

// secrets finds secrets in a scope, which come before options.
type secrets struct {
	r      *operator.Request
	params *param.Reader
	scope  string
}

func (s secrets) find(ctx context.Context, key string) (string, bool, error) {
	return s.r.OptSecret(ctx, s.scope+"."+key)
}

// text returns a secret, or the option of its name.
func (s secrets) text(ctx context.Context, key string) (string, error) {
	if text, found, err := s.find(ctx, key); err != nil || found {
		return text, err
	}
	return s.params.String(key)
}

// value passes a secret to a Reader, so that it is read as if it were the option of its name. Without a secret it returns
// that of the options. An error about a secret does not show it.
func read[T any](ctx context.Context, s secrets, key string, as func(*param.Reader) (T, error)) (value T, err error) {
	text, found, err := s.find(ctx, key)
	if err != nil {
		return value, err
	}
	if !found {
		return as(s.params)
	}
	if value, err = as(param.NewReader(param.Of(key, strings.TrimSpace(text)))); err != nil {
		err = param.Errorf("The secret '%s.%s' has no value that %s can have", s.scope, key, key)
	}
	return value, err
}

// readLogin reads the options of the connection (operators 7.1).
func (d *dialect) readLogin(ctx context.Context, r *operator.Request, params *param.Reader) (to login, err error) {
	from := secrets{r: r, params: params, scope: d.secrets}
	if to.host, err = from.text(ctx, "host"); err != nil {
		return to, err
	}
	if to.port, err = read(ctx, from, "port", func(p *param.Reader) (int, error) { return p.IntOr("port", d.port) }); err != nil {
		return to, err
	}
	if to.port < 1 || to.port > 65535 {
		return to, param.Errorf("Parameter 'port' must be a number from 1 to 65535, but is %d", to.port)
	}
	if to.user, err = from.text(ctx, "user"); err != nil {
		return to, err
	}
	if to.password, err = from.password(ctx); err != nil {
		return to, err
	}
	if to.database, err = from.text(ctx, "database"); err != nil {
		return to, err
	}
	if to.ssl, err = read(ctx, from, "ssl", func(p *param.Reader) (bool, error) { return p.BoolOr("ssl", false) }); err != nil {
		return to, err
	}
	if to.schema, err = read(ctx, from, "schema", func(p *param.Reader) (string, error) { return p.StringOr("schema", "") }); err != nil {
		return to, err
	}
	timeouts := from
	if !d.secretTimeouts {
		timeouts.scope = "" // no secret has such a name
	}
	if to.connectTimeout, err = timeouts.duration(ctx, "connect_timeout", defaultConnectTimeout); err != nil {
		return to, err
	}
	to.socketTimeout, err = timeouts.duration(ctx, "socket_timeout", defaultSocketTimeout)
	return to, err
}

// password returns the password. password_override names the secret that has it.
func (s secrets) password(ctx context.Context) (string, error) {
	name, override, err := s.params.OptString("password_override")
	if err != nil {
		return "", err
	}
	if !override {
		name = "password"
	}
	text, found, err := s.find(ctx, name)
	if err == nil && override && !found {
		err = missingSecret(name)
	}
	return text, err
}

func (s secrets) duration(ctx context.Context, key string, otherwise time.Duration) (time.Duration, error) {
	if s.scope == "" {
		return durationOr(s.params, key, otherwise)
	}
	return read(ctx, s, key, func(p *param.Reader) (time.Duration, error) { return durationOr(p, key, otherwise) })
}

// durationOr reads a length of time (operators 1.5).
func durationOr(params *param.Reader, key string, otherwise time.Duration) (time.Duration, error) {
	text, found, err := params.OptString(key)
	if err != nil || !found {
		return otherwise, err
	}
	value, err := param.ParseDuration(text)
	if err != nil {
		return 0, param.WrongType(key, "class io.digdag.util.DurationParam", text)
	}
	return value, nil
}

// work is what a task does with a database.
type work struct {
	insertInto, createTable, download string // empty for none
	store                             stored
}

// stored says which rows are stored.
type stored int

const (
	storeNothing stored = iota
	storeFirst
	storeAll
)

// readWork reads the options of the query (operators 7.1).
func readWork(params *param.Reader) (w work, err error) {
	for _, text := range []struct {
		key string
		to  *string
	}{{"insert_into", &w.insertInto}, {"create_table", &w.createTable}, {"download_file", &w.download}} {
		if *text.to, err = params.StringOr(text.key, ""); err != nil {
			return w, err
		}
	}
	if w.store, err = readStore(params); err != nil {
		return w, err
	}
	changes := w.insertInto != "" || w.createTable != ""
	switch {
	case w.insertInto != "" && w.createTable != "":
		err = param.Errorf(insertAndCreate)
	case w.download != "" && changes:
		err = param.Errorf(downloadAndInsert)
	case w.store != storeNothing && changes:
		err = param.Errorf(storeAndInsert)
	case w.download != "" && w.store != storeNothing:
		err = param.Errorf(downloadAndStore)
	}
	return w, err
}

func readStore(params *param.Reader) (stored, error) {
	const key = "store_last_results"
	value, _ := params.Value(key)
	choice, ok := storeOf(value)
	if !ok {
		text, _ := param.AsString(value)
		wrong := param.WrongType(key, "class io.digdag.standards.operator.jdbc.StoreLastResultsOption", value)
		return storeNothing, &operator.Error{Kind: operator.KindConfig, Message: wrong.Message, Err: param.Errorf("%s%s", badStore, text)}
	}
	return choice, nil
}

func storeOf(value param.Value) (stored, bool) {
	switch value {
	case nil, false, "false":
		return storeNothing, true
	case true, "true", "first":
		return storeFirst, true
	case "all":
		return storeAll, true
	}
	return storeNothing, false
}

// readOnly reports whether the result of the query is used, so that it must not change anything.
func (w work) readOnly() bool { return w.download != "" || w.store != storeNothing }

// statement returns what is sent for a query, and whether it may have results.
func (w work) statement(d *dialect, query string) (text string, results bool) {
	switch {
	case w.insertInto != "":
		return fmt.Sprintf("INSERT INTO %s\n%s", d.table(tableOf(w.insertInto)), query), false
	case w.createTable != "":
		name := d.table(tableOf(w.createTable))
		return fmt.Sprintf("DROP TABLE IF EXISTS %s; CREATE TABLE %s AS \n%s", name, name, query), false
	}
	return query, true
}

// readStatus reads the options of exactly-once execution. It returns nil if the task does without.
func (d *dialect) readStatus(r *operator.Request, params *param.Reader) (*status, error) {
	strict, err := params.BoolOr("strict_transaction", true)
	if err != nil || !strict {
		return nil, err
	}
	s := &status{dialect: d, log: r.Log}
	if s.table.name, err = params.StringOr("status_table", defaultStatusTable); err != nil {
		return nil, err
	}
	if s.table.schema, err = params.StringOr("status_table_schema", ""); err != nil {
		return nil, err
	}
	s.cleanup, err = durationOr(params, "status_table_cleanup", defaultCleanup)
	return s, err
}
