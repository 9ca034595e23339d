package flush

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
)

// lock locks the attempts of a transaction, and brings their task trees up to date. It drops attempts that
// another server has ended, and those that do not exist. ids must be sorted, as all servers lock in that order.
func (l *loader) lock(ctx context.Context, t *txn, ids []trowel.AttemptID) error {
	if !t.pessimistic && l.trusts(ids) {
		return l.lockOptimistic(ctx, t, ids)
	}
	rows, err := t.tx.LockAttempts(ctx, ids)
	if err != nil {
		return err
	}
	found := map[trowel.AttemptID]bool{}
	for _, row := range rows {
		found[row.ID] = true
		if row.Flags&trowel.AttemptDone != 0 {
			t.done[row.ID] = true
			l.end(*row)
			continue
		}
		a, err := l.refresh(ctx, t.tx, row)
		if errors.Is(err, trowel.ErrUnknown) {
			l.leave(ctx, row.ID, row.Version, err)
			continue
		}
		if err != nil {
			return err
		}
		t.join(a)
	}
	for _, id := range ids {
		if a := l.cache.get(id); a != nil && !found[id] {
			a.close()
			l.drop(a)
		}
	}
	return nil
}

// trusts reports whether attempts run, and are most likely up to date in memory.
func (l *loader) trusts(ids []trowel.AttemptID) bool {
	for _, id := range ids {
		if a := l.cache.get(id); !a.running() || !a.trusted() {
			return false
		}
	}
	return true
}

// lockOptimistic locks attempts at their expected versions, without reading them. If one has another version,
// the transaction fails, and the next try is pessimistic.
func (l *loader) lockOptimistic(ctx context.Context, t *txn, ids []trowel.AttemptID) error {
	versions := make(map[trowel.AttemptID]int64, len(ids))
	for _, id := range ids {
		a := l.cache.get(id)
		versions[id] = a.tree.Attempt.Version
		t.join(a)
		t.bump(a)
	}
	return t.tx.LockAttemptVersions(ctx, versions)
}
