package flush

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// maxTries is how often a transaction is tried that failed for a passing reason.
const maxTries = 8

// flush writes the consequences of a batch of events in one transaction, claims what the agent has
// room for, and tells everybody. A transaction that fails for a passing reason is tried again. It
// may have been committed all the same, when only the answer was lost, so the next one looks for it
// first.
func (f *Flusher) flush(ctx context.Context, batch []*event) error {
	var w *write
	for try := 1; ; try++ {
		err := f.transact(ctx, batch, &w)
		if err == nil {
			return f.committed(batch, w)
		}
		passing := errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrConflict)
		if !passing || try == maxTries || !pause(ctx, time.Duration(try*try)*time.Millisecond) {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			f.resolve(batch, err)
			return err
		}
		f.opts.Log.Warn("transaction tried again", slog.Int("try", try), slog.Any("error", err))
	}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// transact runs one transaction. Into w goes what it writes; what is there already is an earlier
// try, of which nobody knows whether it was committed.
func (f *Flusher) transact(ctx context.Context, batch []*event, w **write) error {
	return f.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		if *w != nil {
			happened, err := (*w).happened(ctx, tx)
			if err != nil || happened {
				return err
			}
			f.undo(*w)
		}
		*w = newWrite(f.opts.Now().Truncate(time.Microsecond))
		return f.fill(ctx, tx, batch, *w)
	})
}

// undo forgets what a transaction did that was not committed: the store is right, the images are not.
func (f *Flusher) undo(w *write) {
	f.images.forget(w.locked)
	for _, id := range w.begun {
		f.images.remove(id)
	}
	f.ids.drop()
}

// fill applies the events in an open transaction and writes what follows from them.
func (f *Flusher) fill(ctx context.Context, tx trowel.Tx, batch []*event, w *write) error {
	w.locked = f.attemptsOf(batch)
	f.ids.begin(ctx, tx, wantedIDs(batch))
	if err := f.images.lock(ctx, tx, w.locked); err != nil {
		return err
	}
	for _, ev := range batch {
		if err := f.apply(ctx, tx, w, ev); err != nil {
			return err
		}
	}
	f.claim(w)
	if f.ids.err != nil {
		return f.ids.err
	}
	return w.store(ctx, tx)
}

// attemptsOf lists the attempts that a transaction touches: those of the events and those that have
// tasks to claim, in the order in which they must be locked.
func (f *Flusher) attemptsOf(batch []*event) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for _, ev := range batch {
		if ev.start == nil {
			ids = append(ids, ev.attempt)
		}
	}
	if f.opts.Agent.Free() > 0 {
		ids = append(ids, f.images.withReady()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func wantedIDs(batch []*event) (n int) {
	for _, ev := range batch {
		if ev.start != nil {
			n += len(ev.start.Tasks)
		}
	}
	return n
}

// apply does what an event asks for. What is wrong with the event itself is its own error; an
// error of the store is returned.
func (f *Flusher) apply(ctx context.Context, tx trowel.Tx, w *write, ev *event) error {
	ev.err = nil
	if ev.start != nil {
		return f.start(ctx, tx, w, ev)
	}
	a := f.images.byID[ev.attempt]
	if a == nil || a.Image == nil || a.Done() {
		ev.err = trowel.ErrNotFound
		return nil
	}
	w.add(a.Image, a.Apply(ev.what, w.at, &f.ids, f.opts.Limits), ev.actorOf())
	if due, ok := ev.what.(engine.Due); ok {
		w.keepWaiting(a.Find(due.Task))
	}
	return nil
}

func (ev *event) actorOf() string {
	if ev.actor != "" {
		return ev.actor
	}
	return "engine"
}

// start inserts an attempt and begins it (language A7).
func (f *Flusher) start(ctx context.Context, tx trowel.Tx, w *write, ev *event) error {
	running, err := tx.CountRunningAttempts(ctx)
	if err != nil {
		return err
	}
	if running >= f.opts.Attempts {
		ev.err = tooManyAttempts(f.opts.Attempts, running)
		return nil
	}
	if ev.err = engine.CheckSize(ev.start.Tasks, f.opts.Limits); ev.err != nil {
		return nil //nolint:nilerr // the caller's error, not one of the transaction
	}
	setting, row := ev.start.Setting, ev.start.Attempt
	row.CreatedAt = w.at
	err = tx.InsertAttempt(ctx, &setting.Session, &row)
	if errors.Is(err, trowel.ErrConflict) {
		ev.err = err
		return nil // a taken name is the caller's error, not one of the transaction
	}
	if err != nil {
		return err
	}
	img, applied, err := engine.Start(row, &setting, engine.Begin{Tasks: ev.start.Tasks}, w.at, &f.ids, f.opts.Limits)
	if err != nil {
		return err
	}
	w.locked, w.begun = append(w.locked, row.ID), append(w.begun, row.ID)
	f.images.add(row.ID, img).ended = []chan trowel.Attempt{ev.started.Ended}
	w.begin(img, ev.actorOf())
	w.add(img, applied, ev.actorOf())
	ev.started.Attempt = row
	return nil
}

// claim gives ready tasks to the agent, as many as it takes. Attempts take turns also when there is
// room for one task at a time: those after the one that was served last come first.
func (f *Flusher) claim(w *write) {
	free := f.opts.Agent.Free()
	if free <= 0 {
		return
	}
	agent := f.opts.Agent.ID()
	var sources []*attempt
	for _, id := range w.locked {
		if a := f.images.byID[id]; a != nil && a.Image != nil && !a.Done() {
			sources = append(sources, a)
		}
	}
	next := slices.IndexFunc(sources, func(a *attempt) bool { return a.Attempt.ID > f.served })
	if next > 0 {
		sources = slices.Concat(sources[next:], sources[:next])
	}
	queue.Pick(sources, free, func(a *attempt, id trowel.TaskID) {
		f.served = a.Attempt.ID
		w.add(a.Image, a.Apply(engine.Claim{Task: id, Agent: agent}, w.at, &f.ids, f.opts.Limits), agent)
		w.claimed = append(w.claimed, claimed{a.Image, id})
	})
}

// committed tells everybody what the transaction did: first observers, who may stop it all, then
// those who wait, then the agent.
func (f *Flusher) committed(batch []*event, w *write) error {
	for _, c := range w.batch.Changes {
		if c.To == trowel.TaskRetryWaiting || c.To == trowel.TaskGroupRetryWaiting {
			f.timers.add(c.Task)
		}
	}
	for _, row := range w.waiting {
		f.timers.add(row)
	}
	for _, warning := range w.batch.Warnings {
		f.opts.Log.Warn(warning) //nolint:sloglint // the engine says it in Digdag's words
	}
	for _, o := range f.opts.Observers {
		if err := o.Committed(&w.batch); err != nil {
			f.resolve(batch, err)
			return err
		}
	}
	leases := make([]*trowel.Lease, 0, len(w.claimed))
	for _, c := range w.claimed {
		leases = append(leases, c.img.Lease(c.task))
	}
	if len(leases) > 0 {
		f.opts.Agent.Give(leases)
	}
	if stop := w.canceled(); len(stop) > 0 {
		f.opts.Agent.Cancel(stop)
	}
	for _, ended := range w.batch.Ended {
		f.images.end(ended)
	}
	f.resolve(batch, nil)
	return nil
}

func (f *Flusher) resolve(batch []*event, err error) {
	for _, ev := range batch {
		if err != nil {
			ev.resolve(err)
			continue
		}
		ev.resolve(ev.err)
	}
}

func tooManyAttempts(limit, running int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: fmt.Sprintf("Too many attempts running. Limit: %d, Current: %d", limit, running),
		Hint:    "raise executor.attempt_max_run, or wait until some have ended",
	}
}
