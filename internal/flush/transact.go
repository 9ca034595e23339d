package flush

import (
	"context"
	"errors"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// transact runs one transaction. before is an earlier one with the same requests whose outcome is unknown;
// nil if there is none. It returns the committed transaction, the one whose outcome is unknown, or nil if
// nothing was committed.
func (c *committer) transact(ctx context.Context, batch []request, chosen selection, before *txn, pessimistic bool) (t *txn, committed bool, err error) {
	beforeCommitted := false
	err = c.store.Update(ctx, func(tx trowel.Tx) error {
		if t != nil { // the store runs this again, so it was rolled back
			c.undo(t)
			t = nil
		}
		if before != nil {
			happened, err := before.happened(ctx, tx)
			if err != nil {
				return err
			}
			if beforeCommitted = happened; happened {
				return nil
			}
			c.undo(before)
		}
		t = newTxn(tx, c.now().Truncate(time.Microsecond), before, pessimistic, c.parts)
		return c.fill(ctx, t, batch, chosen)
	})
	switch {
	case beforeCommitted:
		c.redo(before)
		return before, true, nil
	case err == nil:
		return t, true, nil
	case errors.Is(err, errTxnBeforeHappened):
		c.undo(t)
		c.redo(before)
		return before, true, nil
	case t != nil && t.state == txnWritten:
		return t, false, err
	case t != nil:
		c.undo(t)
	}
	return before, false, err
}

// fill applies the requests in an open transaction, and writes what follows from them.
func (c *committer) fill(ctx context.Context, t *txn, batch []request, chosen selection) error {
	t.ids.begin(ctx, t.tx, newTasks(batch))
	if err := c.admission.lock(ctx, t, batch); err != nil {
		return err
	}
	if err := c.loader.lock(ctx, t, targets(batch, chosen)); err != nil {
		return err
	}
	for _, r := range startsLast(batch) {
		if err := r.apply(ctx, t); err != nil {
			return err
		}
	}
	if err := c.claimer.claim(ctx, t, chosen); err != nil {
		return err
	}
	if t.ids.err != nil {
		return t.ids.err
	}
	if err := t.write(ctx); err != nil {
		return err
	}
	if c.notify != nil && len(t.changes.touched) > 0 {
		if err := c.notify(ctx, t.tx, t.notification()); err != nil {
			return err
		}
	}
	if err := t.tx.Settle(ctx); err != nil { // what fails after this is the commit
		return err
	}
	t.state = txnWritten
	return nil
}

// targets lists the attempts that a transaction is about: those of the requests, and those of which tasks
// are to be claimed. They are in the order in which they must be locked.
func targets(batch []request, chosen selection) []trowel.AttemptID {
	ids := chosen.attempts()
	for _, r := range batch {
		if id := r.target(); id != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// undo takes back what a transaction did in memory that was not committed: the store is right, the task
// trees are not. Those who wait for the ends of its attempts still do.
func (c *committer) undo(t *txn) {
	if t.state == txnUndone {
		return
	}
	t.state = txnUndone
	t.evicted = make([]*engine.Image, 0, len(t.participants))
	for _, a := range t.participants {
		t.evicted = append(t.evicted, a.tree)
		t.cache.evict(a)
	}
	for _, a := range t.begun {
		c.loader.drop(a)
	}
	t.ids.drop()
	t.count.reset()
}

// redo takes back an undo, if there was one: the transaction was committed.
func (c *committer) redo(t *txn) {
	for i, tree := range t.evicted {
		t.cache.put(t.participants[i], tree)
	}
	t.evicted = nil
	t.state = txnWritten
}
