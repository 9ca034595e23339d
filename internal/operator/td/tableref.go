package td

import (
	"cmp"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// tableRef is the name of a table, with that of its database if it is another one (operators 1.5).
type tableRef struct{ database, table string }

// parseTable splits a name at its first dot.
func parseTable(text string) tableRef {
	if database, table, found := strings.Cut(text, "."); found {
		return tableRef{database, table}
	}
	return tableRef{table: text}
}

// readTable reads the name of a table that is required.
func readTable(params *param.Reader, key string) (tableRef, error) {
	text, err := params.String(key)
	return parseTable(text), err
}

// optTable reads the name of a table; nil if there is none.
func optTable(params *param.Reader, key string) (*tableRef, error) {
	text, found, err := params.OptString(key)
	if err != nil || !found {
		return nil, err
	}
	table := parseTable(text)
	return &table, nil
}

// in returns the database of the table, if it is in the given one unless it says otherwise.
func (t tableRef) in(database string) string { return cmp.Or(t.database, database) }

// quoted returns the name in a statement. Quotes in it are left as they are.
func (t tableRef) quoted(engine string) string {
	quote := `"`
	if engine == engineHive {
		quote = "`"
	}
	name := quote + t.table + quote
	if t.database != "" {
		name = quote + t.database + quote + "." + name
	}
	return name
}
