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

// bulk is an INSERT or UPDATE over many rows of values. Backends run it in pieces of
// Dialect.BulkRows: PostgreSQL is fastest with many rows in a statement; modernc.org/sqlite with
// one, on the driver's own statement, as it searches all values of a statement for each of them
// (an insert of 23 columns: 4.2 µs a row; in statements of 8 rows through database/sql 7.0).
type bulk struct {
	table string
	// columns are what is written, as "name TYPE, name TYPE". The types tell PostgreSQL what $1 is.
	columns string
	// keys are what a row of an UPDATE must have to be written, in the same form; empty for an
	// INSERT. Their values come after those of the columns.
	keys string
}

// bulk executes a statement over n rows; fill adds the values of row i. It returns how many rows of
// the table changed.
func (s *session) bulk(ctx context.Context, b bulk, n int, fill func(v *values, i int)) (changed int64, err error) {
	if err := ctx.Err(); err != nil || n == 0 {
		return 0, err
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	defer cancel()
	if s.dialect.BulkRows == 1 {
		limited = context.WithoutCancel(ctx) // the driver would start a goroutine for each row to watch it
	}
	if s.dialect.KeepsStatements {
		changed, err = s.pieces(n, fill, s.bulkByText(limited, b))
	} else {
		err = s.conn.Raw(func(conn any) (err error) {
			changed, err = s.pieces(n, fill, s.bulkByStatement(limited, b, conn))
			return err
		})
	}
	return changed, s.fail(ctx, err)
}

// executor makes what executes a bulk statement for a number of rows and returns how many changed.
type executor func(rows int) (func(values) (int64, error), error)

// pieces cuts n rows into few different numbers of rows: each is a statement to prepare.
func (s *session) pieces(n int, fill func(v *values, i int), prepare executor) (changed int64, err error) {
	var v values
	for size, done := s.dialect.BulkRows, 0; done < n; size /= 2 {
		if done+size > n {
			continue
		}
		execute, err := prepare(size)
		if err != nil {
			return 0, err
		}
		for ; done+size <= n; done += size {
			v = v[:0]
			for i := range size {
				fill(&v, done+i)
			}
			affected, err := execute(v)
			if err != nil {
				return 0, err
			}
			changed += affected
		}
	}
	return changed, nil
}

// bulkByText leaves it to the driver to keep the statement.
func (s *session) bulkByText(ctx context.Context, b bulk) executor {
	return func(rows int) (func(values) (int64, error), error) {
		text := b.text(rows, s.dialect.Unnumbered)
		return func(v values) (int64, error) {
			args := make([]any, len(v))
			for i := range v {
				args[i] = v[i].Value
			}
			res, err := s.conn.ExecContext(ctx, text, args...)
			if err != nil {
				return 0, err
			}
			return res.RowsAffected()
		}, nil
	}
}

// bulkByStatement executes on the driver's own statement.
func (s *session) bulkByStatement(ctx context.Context, b bulk, conn any) executor {
	return func(rows int) (func(values) (int64, error), error) {
		stmt, err := s.prepareBulk(ctx, conn, b, rows)
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

// bulkSize is a statement that a session keeps prepared.
type bulkSize struct {
	bulk bulk
	rows int
}

// prepareBulk returns the statement for so many rows.
func (s *session) prepareBulk(ctx context.Context, conn any, b bulk, rows int) (driver.StmtExecContext, error) {
	known := s.bulks[bulkSize{b, rows}]
	if known != nil {
		return known, nil
	}
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("driver %T cannot prepare statements", conn)
	}
	stmt, err := preparer.PrepareContext(ctx, b.text(rows, s.dialect.Unnumbered))
	if err != nil {
		return nil, err
	}
	known, ok = stmt.(driver.StmtExecContext)
	if !ok {
		return nil, errors.Join(fmt.Errorf("driver %T cannot execute statements", conn), stmt.Close())
	}
	s.bulks[bulkSize{b, rows}] = known
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

// text writes the statement for a number of rows.
func (b *bulk) text(rows int, unnumbered bool) string {
	p := &places{unnumbered: unnumbered}
	written, keys := columns(b.columns), columns(b.keys)
	if len(keys) == 0 {
		return "INSERT INTO " + b.table + " (" + each(written, ", ", column.own) + ") VALUES " + p.rows(written, rows, false)
	}
	if rows == 1 {
		place := func(c column) string { return c.name + " = " + p.next() }
		return "UPDATE " + b.table + " SET " + each(written, ", ", place) + " WHERE " + each(keys, " AND ", place)
	}
	// The values of keys have names of their own: a column may be written and be a key.
	old := make([]column, len(keys))
	for i, c := range keys {
		old[i] = column{"old_" + c.name, c.kind}
	}
	all := slices.Concat(written, old)
	return "WITH v (" + each(all, ", ", column.own) + ") AS (VALUES " + p.rows(all, rows, true) + ") UPDATE " + b.table +
		" SET " + each(written, ", ", func(c column) string { return c.name + " = v." + c.name }) +
		" FROM v WHERE " + each(keys, " AND ", func(c column) string { return b.table + "." + c.name + " = v.old_" + c.name })
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

// rows writes rows of placeholders. In typed ones the first row says the types of all.
func (p *places) rows(list []column, rows int, typed bool) string {
	texts := make([]string, rows)
	for i := range texts {
		texts[i] = "(" + each(list, ", ", func(c column) string {
			if typed && i == 0 {
				return "CAST(" + p.next() + " AS " + c.kind + ")"
			}
			return p.next()
		}) + ")"
	}
	return strings.Join(texts, ", ")
}
