package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// bulk is an INSERT or UPDATE over many rows of values. Each backend has its fastest form:
//
//   - modernc.org/sqlite is fastest with one row in a statement, on the driver's own statement, as it
//     searches all values of a statement for each of them (an insert of 23 columns: 4.2 µs a row; in
//     statements of 8 rows through database/sql 7.0).
//   - PostgreSQL is fastest with an array for each column, which is one text for any number of rows
//     (256 rows of 18 columns: 12.5 µs a row; as VALUES 24.4, with COPY, which cannot update, 10.5).
//     For a single row it is slower than values (an update: 232 µs against 123).
type bulk struct {
	table string
	// columns are what is written, as "name TYPE, name TYPE". The types tell PostgreSQL what $1 is.
	columns string
	// keys are what a row of an UPDATE must have to be written, in the same form; empty for an
	// INSERT. Their values come after those of the columns.
	keys string
	// known are the columns of a unique key, as "name, name": rows of an INSERT that are there already
	// are left as they are. Empty if there can be none.
	known string
}

// bulk executes a statement over n rows; fill adds the values of row i. It returns how many rows of
// the table changed.
func (s *session) bulk(ctx context.Context, b bulk, n int, fill func(v *values, i int)) (changed int64, err error) {
	if err := ctx.Err(); err != nil || n == 0 {
		return 0, err
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	defer cancel()
	if !s.dialect.Arrays {
		limited = context.WithoutCancel(ctx) // the driver would start a goroutine for each row to watch it
	}
	if s.dialect.Arrays {
		changed, err = s.pieces(n, fill, s.bulkByArrays(limited, b))
	} else {
		err = s.conn.Raw(func(conn any) (err error) {
			changed, err = s.pieces(n, fill, s.bulkByStatement(limited, b, conn))
			return err
		})
	}
	return changed, s.fail(ctx, err)
}

// bulkRows is how many rows one statement with arrays takes at most.
const bulkRows = 1024

// executor makes what executes a bulk statement for a number of rows and returns how many changed.
type executor func(rows int) (func(values) (int64, error), error)

// pieces cuts n rows into statements of at most bulkRows, or one.
func (s *session) pieces(n int, fill func(v *values, i int), prepare executor) (changed int64, err error) {
	var v values
	var execute func(values) (int64, error)
	for done, prepared := 0, 0; done < n; done += prepared {
		size := 1
		if s.dialect.Arrays {
			size = min(n-done, bulkRows)
		}
		if size != prepared {
			if execute, err = prepare(size); err != nil {
				return 0, err
			}
			prepared = size
		}
		v = v[:0]
		for i := range prepared {
			fill(&v, done+i)
		}
		affected, err := execute(v)
		if err != nil {
			return 0, err
		}
		changed += affected
	}
	return changed, nil
}

// bulkByArrays sends an array for each column, and leaves it to the driver to keep the statement.
func (s *session) bulkByArrays(ctx context.Context, b bulk) executor {
	return func(rows int) (func(values) (int64, error), error) {
		text := b.arrays()
		if rows == 1 {
			text = b.single(false)
		}
		return func(v values) (int64, error) {
			res, err := s.conn.ExecContext(ctx, text, transposed(v, rows)...)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		}, nil
	}
}

// transposed makes lists of the columns from rows of values. A single row stays as it is.
func transposed(v values, rows int) []any {
	args := make([]any, len(v)/rows)
	for column := range args {
		if rows == 1 {
			args[column] = v[column].Value
			continue
		}
		list := make([]any, rows)
		for i := range list {
			list[i] = v[i*len(args)+column].Value
		}
		args[column] = list
	}
	return args
}

// bulkByStatement executes on the driver's own statement, row by row.
func (s *session) bulkByStatement(ctx context.Context, b bulk, conn any) executor {
	return func(int) (func(values) (int64, error), error) {
		stmt, err := s.prepareBulk(ctx, conn, b)
		if err != nil {
			return nil, err
		}
		return func(v values) (int64, error) {
			res, err := stmt.ExecContext(ctx, v)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		}, nil
	}
}

// prepareBulk returns the statement for one row.
func (s *session) prepareBulk(ctx context.Context, conn any, b bulk) (driver.StmtExecContext, error) {
	known := s.bulks[b]
	if known != nil {
		return known, nil
	}
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("driver %T cannot prepare statements", conn)
	}
	stmt, err := preparer.PrepareContext(ctx, b.single(true))
	if err != nil {
		return nil, err
	}
	known, ok = stmt.(driver.StmtExecContext)
	if !ok {
		return nil, errors.Join(fmt.Errorf("driver %T cannot execute statements", conn), stmt.Close())
	}
	s.bulks[b] = known
	return known, nil
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

// single writes the statement for one row. modernc.org/sqlite wants unnumbered places: it looks $1 up
// by name among all values.
func (b bulk) single(unnumbered bool) string {
	p := &places{unnumbered: unnumbered}
	written, keys := columns(b.columns), columns(b.keys)
	if len(keys) == 0 {
		place := func(column) string { return p.next() }
		return "INSERT INTO " + b.table + " (" + each(written, ", ", column.own) + ") VALUES (" + each(written, ", ", place) + ")" + b.skip()
	}
	place := func(c column) string { return c.name + " = " + p.next() }
	return "UPDATE " + b.table + " SET " + each(written, ", ", place) + " WHERE " + each(keys, " AND ", place)
}

// arrays writes the statement that takes an array for each column.
func (b bulk) arrays() string {
	p := &places{}
	written, keys := columns(b.columns), columns(b.keys)
	array := func(c column) string { return "CAST(" + p.next() + " AS " + c.kind + "[])" }
	if len(keys) == 0 {
		return "INSERT INTO " + b.table + " (" + each(written, ", ", column.own) + ") SELECT * FROM unnest(" + each(written, ", ", array) + ")" + b.skip()
	}
	// The values of keys have names of their own: a column may be written and be a key.
	old := make([]column, len(keys))
	for i, c := range keys {
		old[i] = column{"old_" + c.name, c.kind}
	}
	all := slices.Concat(written, old)
	return "UPDATE " + b.table + " SET " + each(written, ", ", func(c column) string { return c.name + " = v." + c.name }) +
		" FROM unnest(" + each(all, ", ", array) + ") AS v (" + each(all, ", ", column.own) +
		") WHERE " + each(keys, " AND ", func(c column) string { return b.table + "." + c.name + " = v.old_" + c.name })
}

// skip ends an INSERT.
func (b bulk) skip() string {
	if b.known == "" {
		return ""
	}
	return " ON CONFLICT (" + b.known + ") DO NOTHING"
}

func (c column) own() string { return c.name }

// each writes something for each column.
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
