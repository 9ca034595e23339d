package flush

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// committed tells everybody what the transaction did: first observers, who may stop it all, then
// those who wait, then the agent.
func (f *Flusher) committed(ctx context.Context, batch []*event, w *write) error {
	for _, begun := range w.awaited { // not before, as a transaction may be tried again
		begun.attempt.ended = append(begun.attempt.ended, begun.ended)
	}
	f.setAlarms(w)
	for _, warning := range w.batch.Warnings {
		f.opts.Log.Warn(warning) //nolint:sloglint // the engine says it in Digdag's words
	}
	for _, o := range f.opts.Observers {
		if err := o.Committed(&w.batch); err != nil {
			f.stopped = true
			return err
		}
	}
	if len(f.opts.Listeners) > 0 {
		w.batch.Waits = f.waits(&w.batch)
	}
	for _, l := range f.opts.Listeners {
		l.Heard(&w.batch)
	}
	f.queueChanges(w)
	now := time.Now()
	f.gathering.gave(len(w.claimed), now, now.Sub(w.began))
	f.give(w)
	f.cancel(w.canceled())
	for _, id := range w.unheld {
		f.Detach(id)
	}
	f.admitNext(w)
	for _, ended := range w.batch.Ended {
		f.end(ended)
	}
	f.evaluateAll(ctx, w)
	f.resolve(batch, nil)
	return nil
}

// setAlarms sets the timers of what waits now, and of limits of time.
func (f *Flusher) setAlarms(w *write) {
	for i := range w.batch.Changes {
		c := &w.batch.Changes[i]
		a := f.images.byID[c.Task.AttemptID]
		if waits(c.To) {
			f.timers.set(a, c.Task.RetryAt, engine.Due{Task: c.Task.ID})
		}
		if waits(c.To) || c.To == trowel.TaskRunning {
			f.limitTask(a, c.Task)
		}
	}
	for _, a := range w.begun {
		f.setLimit(a, a.Attempt.CreatedAt, f.opts.TTLs.Attempt)
	}
	for _, wait := range w.waiting {
		f.timers.set(wait.attempt, wait.row.RetryAt, engine.Due{Task: wait.row.ID})
	}
	for i := range w.monitors {
		if a := f.images.byID[w.monitors[i].AttemptID]; a != nil {
			f.setMonitor(a, &w.monitors[i])
		}
	}
	for _, l := range w.limits {
		f.setLimitAt(l.attempt, l.at)
	}
}

// resolve answers those who wait. What happened although its caller had left is told in the log.
func (f *Flusher) resolve(batch []*event, err error) {
	for _, ev := range batch {
		if err != nil {
			ev.resolve(err)
			continue
		}
		if ev.err == nil && ev.abandoned.Load() {
			id := ev.attempt
			if ev.start != nil {
				id = ev.started.Attempt.ID
			}
			f.opts.Log.Warn("change made after its caller had left", slog.Int64("attempt_id", int64(id)), slog.String("actor", ev.actorOf()))
		}
		ev.resolve(ev.err)
	}
}
