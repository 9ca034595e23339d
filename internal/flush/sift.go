package flush

import (
	"context"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// sift writes the events of a batch that the store does not take one by one, so that what is wrong
// with one harms no other, and then claims for one attempt after the other. It returns an error only
// if ctx ends or an observer stops it.
func (f *Flusher) sift(ctx context.Context, batch []*event, chosen selection, cause error) error {
	f.opts.Log.ErrorContext(ctx, "transaction refused by the store, its events are tried one by one",
		slog.Int("events", len(batch)), slog.Any("error", cause))
	for i, ev := range batch {
		if err := f.alone(ctx, ev); err != nil {
			f.resolve(batch[i+1:], err)
			return err
		}
	}
	if len(batch) == 0 {
		return f.siftChosen(ctx, chosen)
	}
	return nil
}

// alone writes one event. If the store works and does not take it, it is given up: a report as a
// failure of its task, others with an error in the log.
func (f *Flusher) alone(ctx context.Context, ev *event) error {
	for try := 1; ; try++ {
		err := f.commit(ctx, []*event{ev}, selection{})
		if err == nil {
			return nil
		}
		if f.fatal(ctx) {
			ev.resolve(err)
			return err
		}
		if !f.storeWorks(ctx) {
			if !pause(ctx, try) {
				ev.resolve(context.Cause(ctx))
				return context.Cause(ctx)
			}
			continue
		}
		if report, ok := ev.what.(engine.Report); ok && report.Outcome != trowel.OutcomeFailure {
			ev.what = engine.Report{Report: unstorable(report.Report, err)}
			continue
		}
		f.opts.Log.ErrorContext(ctx, "event given up", slog.Int64("attempt_id", int64(ev.attempt)), slog.Any("error", err))
		ev.resolve(err)
		f.forget(ev.attempt)
		return nil
	}
}

// unstorable is the report of a try whose result the store does not take.
func unstorable(r trowel.Report, cause error) trowel.Report {
	return trowel.Report{
		Answer: r.Answer, TaskID: r.TaskID, AttemptID: r.AttemptID, Try: r.Try, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		Outcome: trowel.OutcomeFailure, Error: trowel.ErrorObject("cannot store the result of the task: "+cause.Error(), "internal"),
	}
}

// siftChosen claims one task after the other and puts the attempts aside that cannot be served.
func (f *Flusher) siftChosen(ctx context.Context, chosen selection) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(chosen.attempts()))) {
		err := f.commit(ctx, []*event{{attempt: id}}, chosen.only(id))
		switch {
		case err == nil:
			continue
		case f.fatal(ctx):
			return err
		case f.storeWorks(ctx):
			f.opts.Log.ErrorContext(ctx, "attempt put aside", slog.Int64("attempt_id", int64(id)), slog.Any("error", err))
			f.forget(id)
		}
	}
	return nil
}

// putAside is how long an attempt is left alone that the store does not take.
const putAside = time.Minute

// forget takes the image of an attempt out of memory, but not who waits for its end. It is read anew after a
// while: what was refused may be taken then.
func (f *Flusher) forget(id trowel.AttemptID) {
	if a := f.images.byID[id]; a != nil {
		f.images.forget(a)
		f.backlog.Drop(id)
		f.timers.load(a, f.opts.Now().Add(putAside))
	}
}

// storeWorks reports whether the store takes anything at all.
func (f *Flusher) storeWorks(ctx context.Context) bool {
	return f.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		_, err := tx.ReserveTaskIDs(ctx, 1)
		return err
	}) == nil
}
