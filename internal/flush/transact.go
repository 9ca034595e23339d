package flush

import (
	"context"
	"errors"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// transact runs one transaction. before is an earlier one with the same requests, whose outcome is unknown; nil
// if there is none. It returns the committed transaction, the one whose outcome is unknown, or nil if nothing
// was committed.
func (c *committer) transact(ctx context.Context, batch []request, chosen selection, before *txn, pessimistic bool) (t *txn, committed bool, err error) {
	beforeCommitted := false
	err = c.store.Update(ctx, func(tx trowel.Tx) error {
		if t != nil { // the store calls this again after a rollback
			c.evict(t)
			t = nil
		}
		if before != nil {
			found, err := before.wasCommitted(ctx, tx)
			if err != nil {
				return err
			}
			if beforeCommitted = found; found {
				return nil
			}
			c.evict(before)
		}
		t = newTxn(tx, c.now().Truncate(time.Microsecond), before, pessimistic, c.parts)
		return c.fill(ctx, t, batch, chosen)
	})
	switch {
	case beforeCommitted:
		c.restore(before)
		return before, true, nil
	case err == nil:
		return t, true, nil
	case errors.Is(err, errBeforeCommitted):
		c.evict(t)
		c.restore(before)
		return before, true, nil
	case t != nil && t.state == txnWritten:
		return t, false, err
	case t != nil:
		c.evict(t)
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
		if c.refuses(r) {
			continue
		}
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
	if err := t.tx.Sync(ctx); err != nil { // what fails after this is the commit
		return err
	}
	t.state = txnWritten
	return nil
}

// refuses reports whether a request is about an attempt that is left alone, and refuses it then. A report that nobody
// else keeps is submitted again after a while.
func (c *committer) refuses(r request) bool {
	a := c.loader.cache.get(r.target())
	if a == nil || a.leftAlone == nil {
		return false
	}
	if report, ok := r.(*reportRequest); ok && report.report.Answer == nil {
		time.AfterFunc(putAsideFor, func() { c.inbox.submit(r) })
	} else {
		r.refuse(a.leftAlone)
	}
	return true
}

// targets lists the attempts that a transaction must lock, in the right order: those of the requests, and those
// of the chosen tasks.
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

// evict drops the task trees that an uncommitted transaction has changed. The store is right, and they are not.
// Those who wait for the ends of the attempts still do.
func (c *committer) evict(t *txn) {
	if t.state == txnEvicted {
		return
	}
	t.state = txnEvicted
	t.evicted = make([]*engine.TaskTree, 0, len(t.participants))
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

// restore puts the evicted task trees back, as the transaction was committed after all.
func (c *committer) restore(t *txn) {
	for i, tree := range t.evicted {
		t.cache.put(t.participants[i], tree)
	}
	t.evicted = nil
	t.state = txnWritten
}
