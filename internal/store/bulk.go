package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// bulk is an INSERT, UPDATE or DELETE over many rows of values. Each backend has its fastest form:
//
//   - SQLite is fastest with one row in a statement that is executed without the driver (Prepare). The driver
//     allocates each value, and locks for each. A statement of 8 rows keeps a journal of its own, in case one
//     of them fails (an insert of 11 columns: 4.5 µs a row, through the driver 5.6, and in 8 rows 7.2).
//   - PostgreSQL is fastest with an array for each column, which is the same text for any number of rows
//     (256 rows of 18 columns: 12.5 µs a row; as VALUES 24.4, with COPY, which cannot update, 10.5).
//     For a single row it is slower than values (an update: 232 µs against 123).
type bulk struct {
	table string
	// columns are the columns to write, as "name TYPE, name TYPE". PostgreSQL needs the types for $1. If it is empty,
	// the statement is a DELETE by one key.
	columns string
	// keys are the columns by which an UPDATE or DELETE finds its rows, in the same form. Empty for an INSERT. Their
	// values come after those of the columns.
	keys string
	// unique are the columns of a unique key, as "name, name". An INSERT ignores rows whose key is stored already.
	// Empty if that cannot happen.
	unique string
}

// bulk executes a statement over n rows, however many rows of the table change. fill adds the values of row i.
func (c *connection) bulk(ctx context.Context, b bulk, n int, fill func(v *values, i int)) error {
	return c.bulkAll(ctx, b, n, fill, nil)
}

// bulkAll executes a statement that must change a row of the table for each of its n rows. If some are
// missing, the transaction fails with the error that missing returns. With a pipe this error, like any other of
// the statement, may come from a later call instead.
func (c *connection) bulkAll(ctx context.Context, b bulk, n int, fill func(v *values, i int), missing func(rows int64) error) error {
	if err := ctx.Err(); err != nil || n == 0 {
		return err
	}
	if c.dialect.Pipe != nil {
		return c.send(ctx, b, n, fill, missing)
	}
	changed, err := c.eachRow(b, n, fill)
	if err == nil && missing != nil && changed != int64(n) {
		err = missing(int64(n) - changed)
	}
	return c.fail(ctx, err)
}

// eachRow executes row by row, with a prepared statement of the connection.
func (c *connection) eachRow(b bulk, n int, fill func(v *values, i int)) (changed int64, err error) {
	err = c.conn.Raw(func(conn any) error {
		stmt, err := c.prepareBulk(conn, b)
		if err != nil {
			return err
		}
		row := &c.values.row
		for i := range n {
			row.empty()
			fill(&c.values, i)
			rows, err := stmt.Exec(row)
			if err != nil {
				return err
			}
			changed += rows
		}
		if cap(row.Data) > largeColumn {
			row.Data = nil
		}
		return nil
	})
	return changed, err
}

// prepareBulk returns the statement for one row.
func (c *connection) prepareBulk(conn any, b bulk) (RowStatement, error) {
	if known := c.bulks[b]; known != nil {
		return known, nil
	}
	stmt, err := c.dialect.Prepare(conn, b.single(true))
	if err != nil {
		return nil, err
	}
	c.bulks[b] = stmt
	return stmt, nil
}

func (b bulk) texts() (table, single, arrays string, all []column) {
	return b.table, b.single(false), b.arrays(), append(columns(b.columns), columns(b.keys)...)
}

// column is one column with the type of its values.
type column struct{ name, kind string }

func columns(text string) []column {
	if text == "" {
		return nil
	}
	var list []column
	for part := range strings.SplitSeq(text, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(part), " ")
		list = append(list, column{name, kind})
	}
	return list
}

// single returns the statement for one row. For SQLite its places have no numbers, as it looks $1 up by name.
func (b bulk) single(unnumbered bool) string {
	p := &places{unnumbered: unnumbered}
	written, keys := columns(b.columns), columns(b.keys)
	typed := func(c column) string {
		if unnumbered {
			return p.next()
		}
		return "CAST(" + p.next() + " AS " + c.kind + ")"
	}
	place := func(c column) string { return c.name + " = " + typed(c) }
	if len(written) == 0 {
		return "DELETE FROM " + b.table + " WHERE " + place(keys[0])
	}
	if len(keys) == 0 {
		place := typed
		return "INSERT INTO " + b.table + " (" + each(written, ", ", column.own) + ") VALUES (" + each(written, ", ", place) + ")" + b.skip()
	}
	return "UPDATE " + b.table + " SET " + each(written, ", ", place) + " WHERE " + each(keys, " AND ", place)
}

// arrays returns the statement that takes an array for each column.
func (b bulk) arrays() string {
	p := &places{}
	written, keys := columns(b.columns), columns(b.keys)
	array := func(c column) string { return "CAST(" + p.next() + " AS " + c.kind + "[])" }
	if len(written) == 0 {
		return "DELETE FROM " + b.table + " WHERE " + keys[0].name + " = ANY(" + array(keys[0]) + ")"
	}
	if len(keys) == 0 {
		return "INSERT INTO " + b.table + " (" + each(written, ", ", column.own) + ") SELECT * FROM unnest(" + each(written, ", ", array) + ")" + b.skip()
	}
	// The values of keys have names of their own, as a column may be both a key and written.
	old := make([]column, len(keys))
	for i, c := range keys {
		old[i] = column{"old_" + c.name, c.kind}
	}
	all := slices.Concat(written, old)
	return "UPDATE " + b.table + " SET " + each(written, ", ", func(c column) string { return c.name + " = v." + c.name }) +
		" FROM unnest(" + each(all, ", ", array) + ") AS v (" + each(all, ", ", column.own) +
		") WHERE " + each(keys, " AND ", func(c column) string { return b.table + "." + c.name + " = v.old_" + c.name })
}

// skip returns the end of an INSERT.
func (b bulk) skip() string {
	if b.unique == "" {
		return ""
	}
	return " ON CONFLICT (" + b.unique + ") DO NOTHING"
}

func (c column) own() string { return c.name }

// each returns what write returns for each column, joined.
func each(list []column, separator string, write func(column) string) string {
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = write(c)
	}
	return strings.Join(texts, separator)
}

// places writes placeholders.
type places struct {
	unnumbered bool
	n          int
}

func (p *places) next() string {
	p.n++
	if p.unnumbered {
		return "?"
	}
	return "$" + strconv.Itoa(p.n)
}
