package store

import (
	"context"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

const sqlSelectExisting = `SELECT a.id FROM attempt a`

// attemptsExist keeps attempts from being deleted until the end of the transaction. It returns ErrConflict if one is
// not stored. It replaces foreign keys, which PostgreSQL would check for each row that belongs to an attempt.
// Attempts that the transaction has locked or made need no check: they cannot end, and only ended ones are deleted.
func (t *tx) attemptsExist(ctx context.Context, n int, of func(i int) trowel.AttemptID) error {
	if t.dialect.Pipe == nil {
		return nil // SQLite has the references
	}
	var unknown []trowel.AttemptID
	for i := range n {
		if id := of(i); !t.locked[id] && (len(unknown) == 0 || unknown[len(unknown)-1] != id) {
			unknown = append(unknown, id)
		}
	}
	slices.Sort(unknown)
	for some := range slices.Chunk(slices.Compact(unknown), lockedAtOnce) {
		err := t.rows(ctx, selectExisting(len(some))+t.dialect.LockForChange, padded(some), func(scan func(...any) error) error {
			var id trowel.AttemptID
			err := scan(&id)
			t.markLocked(id)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range some {
			if !t.locked[id] {
				return t.fail(ctx, fmt.Errorf("%w: attempt %d is not stored", trowel.ErrConflict, id))
			}
		}
	}
	return nil
}

// selectExisting returns a statement with places for n ids or more.
func selectExisting(n int) string {
	return sqlSelectExisting + ` WHERE a.id IN (` + manyPlaces(n) + `) ORDER BY a.id`
}

// markLocked notes that an attempt cannot be deleted before the transaction ends.
func (t *tx) markLocked(id trowel.AttemptID) {
	if t.locked == nil {
		t.locked = map[trowel.AttemptID]bool{}
	}
	t.locked[id] = true
}
