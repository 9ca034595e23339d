package retention

import (
	"context"
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/telemetry"
)

// When passes are.
const (
	firstPass = 5 * time.Minute // after the start, which is busy enough
	every     = time.Hour
	afterFail = 5 * time.Minute
)

// Run cleans once an hour until ctx ends, and returns its cause. Only a timer wakes it. After a failure, which is
// logged, the next pass comes sooner; if Run dies half-way, the next pass continues. Any number of servers may run it on
// the same database. passed is called at the end of each pass; it may be nil.
func Run(ctx context.Context, opts Options, passed func(err error)) error {
	timer := time.NewTimer(firstPass)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		result, err := Clean(ctx, opts)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if passed != nil {
			passed(err)
		}
		timer.Reset(opts.report(ctx, result, err))
	}
}

// report logs what a pass did and returns when the next one is.
func (o *Options) report(ctx context.Context, result Result, err error) time.Duration {
	var counts []any
	for _, c := range result.Counts() {
		if c.N > 0 {
			counts = append(counts, slog.Int(c.What+"s", c.N))
		}
	}
	if len(counts) > 0 {
		o.Log.InfoContext(ctx, "deleted what was old", slog.Group("deleted", counts...))
	}
	if err != nil {
		o.Log.WarnContext(ctx, "retention has failed and is tried again soon", slog.Any(telemetry.KeyError, err))
		return afterFail
	}
	return every
}
