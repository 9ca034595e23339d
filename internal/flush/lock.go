package flush

import (
	"context"
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// lock locks the attempts of a transaction and brings their images up to date. The images of those
// that are done, which another server ended, or unknown are dropped.
func (f *Flusher) lock(ctx context.Context, tx trowel.Tx, w *write, ids []trowel.AttemptID) error {
	if !w.careful && f.ours(ids) {
		return f.expect(ctx, tx, w, ids)
	}
	rows, err := tx.LockAttempts(ctx, ids)
	if err != nil {
		return err
	}
	found := map[trowel.AttemptID]bool{}
	for _, row := range rows {
		found[row.ID] = true
		if row.Flags&trowel.AttemptDone != 0 {
			w.done[row.ID] = true
			f.end(*row)
			continue
		}
		a, err := f.refresh(ctx, tx, row)
		if errors.Is(err, trowel.ErrUnknown) {
			f.leave(ctx, row.ID, row.Version, err)
			continue
		}
		if err != nil {
			return err
		}
		w.member(a)
	}
	for _, id := range ids {
		if known := f.images.byID[id]; known != nil && !found[id] {
			known.close()
			f.drop(known)
		}
	}
	return nil
}

// trusted is after how many transactions of its own in a row a flusher expects that nobody else has changed
// an attempt.
const trusted = 4

// ours reports whether attempts most likely are as they are known: nobody else has changed them lately.
func (f *Flusher) ours(ids []trowel.AttemptID) bool {
	for _, id := range ids {
		if a := f.images.byID[id]; !a.running() || a.own < trusted {
			return false
		}
	}
	return true
}

// expect locks attempts without waiting for an answer: if one is not as it is known, the transaction fails,
// and is tried again with care.
func (f *Flusher) expect(ctx context.Context, tx trowel.Tx, w *write, ids []trowel.AttemptID) error {
	versions := make(map[trowel.AttemptID]int64, len(ids))
	for _, id := range ids {
		a := f.images.byID[id]
		versions[id] = a.Attempt.Version
		w.member(a)
		w.raise(a.Image)
	}
	return tx.ExpectAttempts(ctx, versions)
}

// refresh reads what is new of an attempt: rows that another server changed, or all of them. One that is not understood
// is an ErrUnknown.
func (f *Flusher) refresh(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) (*attempt, error) {
	known := f.images.byID[row.ID]
	if known == nil || known.Image == nil {
		return f.load(ctx, tx, row)
	}
	if known.Attempt.Version >= row.Version {
		return known, nil
	}
	rows, err := tx.ListTasks(ctx, row.ID, known.Attempt.Version)
	if err == nil {
		err = understood(row, rows)
	}
	if err != nil {
		return nil, err
	}
	known.own = 0
	f.met(known, known.Refresh(*row, rows))
	known.stored = stateOf(row)
	f.images.touch(known)
	return known, nil
}

// load reads an attempt anew, with its timers.
func (f *Flusher) load(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) (*attempt, error) {
	setting, err := tx.FindSetting(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	setting.Defaults, setting.Control = f.opts.Defaults, f.controlOf(&setting.Workflow)
	tasks, err := tx.ListTasks(ctx, row.ID, -1)
	if err == nil {
		err = understood(row, tasks)
	}
	if err != nil {
		return nil, err
	}
	img, err := engine.NewImage(*row, setting, tasks)
	if err != nil {
		return nil, err
	}
	a := f.images.know(row.ID)
	f.images.put(a, img)
	f.timers.drop(a)
	f.backlog.Drop(a.id)
	if err := f.loadExtras(ctx, tx, a); err != nil {
		return nil, err
	}
	f.met(a, tasks)
	f.toEvaluate = appendEvaluations(f.toEvaluate, a, a.Evaluations())
	f.setLimit(a, row.CreatedAt, f.opts.TTLs.Attempt)
	return a, nil
}

// met looks at rows that this flusher did not write, or not lately: it sets the timers of those that
// wait, and tells the agent which of its tries were killed.
func (f *Flusher) met(a *attempt, rows []*trowel.Task) {
	killed := map[string][]trowel.TryID{}
	for _, row := range rows {
		f.queueRow(a, row)
		if waits(row.State) {
			f.timers.set(a, row.RetryAt, engine.Due{Task: row.ID})
		}
		if waits(row.State) || row.State == trowel.TaskRunning {
			f.limitTask(a, row)
		}
		if row.State == trowel.TaskRunning && row.Flags&trowel.TaskCancelRequested != 0 {
			killed[row.AgentID] = append(killed[row.AgentID], trowel.TryID{Task: row.ID, Number: row.Try})
		}
	}
	f.cancel(killed)
}

// limitTask sets the alarm for the limit of time of a task that was started.
func (f *Flusher) limitTask(a *attempt, row *trowel.Task) {
	if !row.StartedAt.IsZero() {
		f.setLimit(a, row.StartedAt, f.opts.TTLs.Task)
	}
}

// setLimit sets the alarm for a limit of time, unless there is an earlier one. An attempt has one such
// alarm at a time: when it rings, the engine says which is the next, so that tasks that have ended
// leave nothing behind.
func (f *Flusher) setLimit(a *attempt, from time.Time, limit time.Duration) {
	if limit > 0 {
		f.setLimitAt(a, from.Add(limit))
	}
}

func (f *Flusher) setLimitAt(a *attempt, at time.Time) {
	if at.IsZero() || (!a.limitAt.IsZero() && !at.Before(a.limitAt)) {
		return
	}
	a.limitAt = at
	f.timers.set(a, at, nil)
}

// end drops an attempt that is done and tells those who wait for that.
func (f *Flusher) end(done trowel.Attempt) {
	known := f.images.byID[done.ID]
	if known == nil {
		return
	}
	for _, ch := range known.ended {
		ch <- done
	}
	f.drop(known)
}

// drop takes an attempt out of memory.
func (f *Flusher) drop(a *attempt) {
	f.timers.drop(a)
	f.backlog.End(a.id)
	f.images.forget(a)
	delete(f.images.byID, a.id)
}
