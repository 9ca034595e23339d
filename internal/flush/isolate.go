package flush

import (
	"context"
	"log/slog"
	"slices"
)

// isolate writes the requests of a refused batch one by one, so that a request that the store refuses harms no
// other. If there are no requests, it claims for one attempt after the other. It returns an error only if the
// flusher must end.
func (c *committer) isolate(ctx context.Context, batch []request, chosen selection, cause error) error {
	c.log.ErrorContext(ctx, "transaction refused by the store, its events are tried one by one",
		slog.Int("events", len(batch)), slog.Any("error", cause))
	for i, r := range batch {
		if err := c.commitOne(ctx, r); err != nil {
			resolveAll(batch[i+1:], err)
			return err
		}
	}
	if len(batch) == 0 {
		return c.claimOneByOne(ctx, chosen)
	}
	return nil
}

// commitOne writes one request. If the store works but refuses the request, it is given up: a report becomes a
// failure of its task, and other requests are logged as errors.
func (c *committer) commitOne(ctx context.Context, r request) error {
	for try := 1; ; try++ {
		err := c.commit(ctx, []request{r}, selection{})
		if err == nil {
			return nil
		}
		if c.ends(ctx) {
			r.resolve(err)
			return err
		}
		if !storeWorks(ctx, c.store) {
			if !backOff(ctx, try) {
				r.resolve(context.Cause(ctx))
				return context.Cause(ctx)
			}
			continue
		}
		if report, ok := r.(*reportRequest); ok && report.giveUp(err) {
			continue
		}
		c.log.ErrorContext(ctx, "event given up", slog.Int64("attempt_id", int64(r.target())), slog.Any("error", err))
		r.resolve(err)
		c.loader.putAside(r.target())
		return nil
	}
}

// claimOneByOne claims one task for each attempt, and puts aside the attempts that the store refuses.
func (c *committer) claimOneByOne(ctx context.Context, chosen selection) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(chosen.attempts()))) {
		err := c.commit(ctx, []request{&refreshRequest{attempt: id}}, chosen.only(id))
		switch {
		case err == nil:
			continue
		case c.ends(ctx):
			return err
		case storeWorks(ctx, c.store):
			c.log.ErrorContext(ctx, "attempt put aside", slog.Int64("attempt_id", int64(id)), slog.Any("error", err))
			c.loader.putAside(id)
		}
	}
	return nil
}
