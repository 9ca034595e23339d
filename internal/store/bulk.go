package store

import (
	"context"
	"strconv"
	"strings"
)

// bulk is a statement over many rows of values at once: head, the rows as VALUES, tail. One
// statement for a batch is several times as fast as one for each row.
type bulk struct {
	head, tail string
	types      []string // SQL types of the columns, so that PostgreSQL knows what $1 is
}

// run executes the statement over n rows; fill appends the values of row i. It returns how many
// rows of the table changed. A batch is cut into powers of two, so that few different statements
// are prepared.
func (b *bulk) run(ctx context.Context, s *session, n int, fill func(args []any, i int) []any) (int64, error) {
	var changed int64
	args := make([]any, 0, min(n, s.dialect.BulkRows)*len(b.types))
	for done := 0; done < n; {
		size := s.dialect.BulkRows
		for size > n-done {
			size /= 2
		}
		args = args[:0]
		for i := range size {
			args = fill(args, done+i)
		}
		rows, err := s.exec(ctx, b.text(size, s.dialect.Unnumbered), args...)
		if err != nil {
			return changed, err
		}
		changed += rows
		done += size
	}
	return changed, nil
}

// text writes the statement for a number of rows.
func (b *bulk) text(rows int, unnumbered bool) string {
	var sql strings.Builder
	sql.Grow(len(b.head) + len(b.tail) + rows*len(b.types)*6)
	sql.WriteString(b.head)
	sql.WriteString(" VALUES ")
	n := 0
	for i := range rows {
		if i > 0 {
			sql.WriteByte(',')
		}
		sql.WriteByte('(')
		for j, t := range b.types {
			if j > 0 {
				sql.WriteByte(',')
			}
			n++
			place := "?"
			if !unnumbered {
				place = "$" + strconv.Itoa(n)
			}
			if i == 0 && b.tail != "" {
				place = "CAST(" + place + " AS " + t + ")"
			}
			sql.WriteString(place)
		}
		sql.WriteByte(')')
	}
	sql.WriteString(b.tail)
	return sql.String()
}
