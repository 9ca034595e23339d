package flush

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

const (
	// maxTries is how often a transaction is tried that failed for a passing reason. A lasting flusher
	// tries for ever while the store is away.
	maxTries = 8
	// maxPause is the longest time between two tries.
	maxPause = time.Second
)

// flush writes the consequences of a batch of events in one transaction, claims what the agent has
// room for, and tells everybody.
func (f *Flusher) flush(ctx context.Context, batch []*event, chosen selection) error {
	err := f.commit(ctx, batch, chosen)
	if err == nil {
		return nil // committed has answered
	}
	if f.fatal(ctx) {
		answer := err
		if ctx.Err() != nil {
			answer = errors.Join(trowel.ErrUnavailable, err)
		}
		f.resolve(batch, answer)
		return err
	}
	return f.sift(ctx, batch, chosen, err)
}

// fatal reports whether an error ends the flusher.
func (f *Flusher) fatal(ctx context.Context) bool {
	return !f.opts.Lasting || f.stopped || ctx.Err() != nil
}

// commit tries to write a batch until it is written, and tells everybody then, but for those who wait
// for an error. A transaction that fails may have been committed all the same, when only the answer
// was lost, so the next one looks for it first.
func (f *Flusher) commit(ctx context.Context, batch []*event, chosen selection) error {
	var w *write // the last transaction, while nobody knows whether it was committed
	batch = slices.Clone(batch)
	for try := 1; ; try++ {
		if w == nil {
			batch = slices.DeleteFunc(batch, func(ev *event) bool { return ev.done != nil && !ev.enter() })
		}
		var err error
		var happened bool
		w, happened, err = f.transact(ctx, batch, chosen, w, try > 1)
		if happened {
			f.failing.Store(nil)
			return f.committed(ctx, batch, w)
		}
		if errors.Is(err, trowel.ErrUnavailable) {
			reason := err
			f.failing.Store(&reason)
		}
		again := f.tryAgain(err, try, w)
		if w == nil || !again {
			for _, ev := range batch {
				ev.leave()
			}
		}
		faster := try == 1 && errors.Is(err, trowel.ErrConflict) // another server, which is nothing to wait for
		if again && w == nil && faster {
			continue
		}
		if again && pause(ctx, try) {
			f.warn(ctx, try, err)
			continue
		}
		if w != nil {
			f.undo(w)
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
}

// tryAgain reports whether a transaction that failed may succeed later. w is the last one of which it is
// not known whether it was committed, which is to be found out.
func (f *Flusher) tryAgain(err error, try int, w *write) bool {
	unknown := w != nil && w.undone == nil
	if f.opts.Lasting && (unknown || errors.Is(err, trowel.ErrUnavailable)) {
		return true
	}
	passing := unknown || errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrConflict)
	return passing && try < maxTries
}

// warn says in the log that a transaction is tried again: the first times, and then once a minute.
func (f *Flusher) warn(ctx context.Context, try int, err error) {
	if try <= maxTries || try%60 == 0 {
		f.opts.Log.WarnContext(ctx, "transaction tried again", slog.Int("try", try), slog.Any("error", err))
	}
}

// pause waits before the next try, longer each time, unless ctx ends.
func pause(ctx context.Context, try int) bool {
	timer := time.NewTimer(min(time.Duration(try*try)*time.Millisecond, maxPause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// errHappened rolls a transaction back that finds that the one before it was committed.
var errHappened = errors.New("the transaction before was committed")

// transact runs one transaction. before is an earlier one with the same events of which nobody knows
// whether it was committed; nil if there is none. It returns the transaction that happened, or the one
// of which nobody knows, or nil if surely nothing did.
func (f *Flusher) transact(ctx context.Context, batch []*event, chosen selection, before *write, careful bool) (w *write, happened bool, err error) {
	committed := false
	err = f.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		if w != nil { // the store runs this again, so it was rolled back
			f.undo(w)
			w = nil
		}
		if before != nil {
			known, err := before.happened(ctx, tx)
			if err != nil {
				return err
			}
			if committed = known; committed {
				return nil
			}
			f.undo(before)
		}
		w = newWrite(f.opts.Now().Truncate(time.Microsecond), before, careful)
		return f.fill(ctx, tx, batch, chosen, w)
	})
	switch {
	case committed:
		f.redo(before)
		return before, true, nil
	case err == nil:
		return w, true, nil
	case errors.Is(err, errHappened):
		f.undo(w)
		f.redo(before)
		return before, true, nil
	case w != nil && w.filled:
		return w, false, err
	case w != nil:
		f.undo(w)
	}
	return before, false, err
}

// undo forgets what a transaction did that was not committed: the store is right, the images are not.
// Who waits for their ends still does.
func (f *Flusher) undo(w *write) {
	if w.undone != nil {
		return
	}
	w.undone = make([]*engine.Image, 0, len(w.members))
	for _, a := range w.members {
		w.undone = append(w.undone, a.Image)
		f.images.forget(a)
	}
	for _, a := range w.begun {
		f.drop(a)
	}
	f.ids.drop()
	f.count.forget()
}

// redo takes back an undo, if there was one: the transaction was committed.
func (f *Flusher) redo(w *write) {
	for i, img := range w.undone {
		a := w.members[i]
		f.images.put(a, img)
	}
	w.undone = nil
}

// fill applies the events in an open transaction and writes what follows from them.
func (f *Flusher) fill(ctx context.Context, tx trowel.Tx, batch []*event, chosen selection, w *write) error {
	f.ids.begin(ctx, tx, wantedIDs(batch))
	if err := f.lockAdmission(ctx, tx, w, batch); err != nil {
		return err
	}
	if err := f.lock(ctx, tx, w, f.attemptsOf(batch, chosen, w)); err != nil {
		return err
	}
	for _, ev := range startsLast(batch) {
		if err := f.apply(ctx, tx, w, ev); err != nil {
			return err
		}
	}
	if err := f.claim(ctx, tx, w, chosen); err != nil {
		return err
	}
	if f.ids.err != nil {
		return f.ids.err
	}
	if err := w.store(ctx, tx); err != nil {
		return err
	}
	if f.opts.Announce != nil && len(w.touched) > 0 {
		if err := f.opts.Announce(ctx, tx, w.news()); err != nil {
			return err
		}
	}
	if err := tx.Settle(ctx); err != nil { // what fails after this is the commit
		return err
	}
	w.filled = true
	return nil
}

// attemptsOf lists the attempts that a transaction touches: those of the events, and those of which tasks
// are to be claimed, in the order in which they must be locked.
func (f *Flusher) attemptsOf(batch []*event, chosen selection, w *write) []trowel.AttemptID {
	ids := chosen.attempts()
	for _, ev := range batch {
		if ev.attempt != 0 {
			ids = append(ids, ev.attempt)
		}
	}
	slices.Sort(ids)
	w.locked = slices.Compact(ids)
	return w.locked
}

func wantedIDs(batch []*event) (n int) {
	for _, ev := range batch {
		if ev.start != nil {
			n += len(ev.start.Tasks)
		}
	}
	return n
}
