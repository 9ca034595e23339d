package store

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
)

// rowQuery is a query that is asked for each row of values.
type rowQuery struct {
	table   string
	columns string // of the values, as in bulk
	one     string // the query for one row of values
	arrays  string // the query for arrays, of PostgreSQL
}

func (q rowQuery) texts() (table, single, arrays string, all []column) {
	return q.table, q.one, q.arrays, columns(q.columns)
}

// expect asks for n rows, each of which must be found. If some are not, the transaction fails with what
// missing says, now or when the pipe is closed.
func (t *tx) expect(ctx context.Context, q rowQuery, n int, fill func(v *values, i int), missing func(rows int64) error) error {
	if err := ctx.Err(); err != nil || n == 0 {
		return err
	}
	if t.dialect.Pipe != nil {
		return t.send(ctx, q, n, fill, missing)
	}
	lost := int64(0)
	for i := range n {
		v := &values{}
		fill(v, i)
		var nothing int
		if err := t.row(ctx, q.one, v.row.args(), &nothing); errors.Is(err, trowel.ErrNotFound) {
			lost++
		} else if err != nil {
			return err
		}
	}
	if lost > 0 {
		return t.fail(ctx, missing(lost))
	}
	return nil
}
