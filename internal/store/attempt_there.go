package store

import (
	"context"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

const sqlSelectThere = `SELECT a.id FROM attempt a`

// attemptsThere keeps attempts from being deleted until the end of the transaction. One that is not stored is an
// ErrConflict. It stands for references that PostgreSQL would check for each row of what belongs to an
// attempt. Those that the transaction has locked or made are known to be there: they cannot end, and only ended
// ones are deleted.
func (t *tx) attemptsThere(ctx context.Context, n int, of func(i int) trowel.AttemptID) error {
	if t.dialect.Pipe == nil {
		return nil // SQLite has the references
	}
	var unknown []trowel.AttemptID
	for i := range n {
		if id := of(i); !t.known[id] && (len(unknown) == 0 || unknown[len(unknown)-1] != id) {
			unknown = append(unknown, id)
		}
	}
	slices.Sort(unknown)
	for some := range slices.Chunk(slices.Compact(unknown), lockedAtOnce) {
		err := t.rows(ctx, selectThere(len(some))+t.dialect.KeepRows, padded(some), func(scan func(...any) error) error {
			var id trowel.AttemptID
			err := scan(&id)
			t.know(id)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range some {
			if !t.known[id] {
				return t.fail(ctx, fmt.Errorf("%w: attempt %d is not stored", trowel.ErrConflict, id))
			}
		}
	}
	return nil
}

// selectThere is a statement with a place for each of so many ids or more.
func selectThere(n int) string {
	return sqlSelectThere + ` WHERE a.id IN (` + manyPlaces(n) + `) ORDER BY a.id`
}

// know notes an attempt that stays until the end of the transaction.
func (t *tx) know(id trowel.AttemptID) {
	if t.known == nil {
		t.known = map[trowel.AttemptID]bool{}
	}
	t.known[id] = true
}
