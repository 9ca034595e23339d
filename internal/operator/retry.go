package operator

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// runWithRetry implements _retry (language X27 to X31, operators 1.12). Any failure asks for another run
// while retries are left, with the state at the beginning of this run. It passes on polls, and retries that
// the operator itself asks for if no _retry is left or a job goes on, whose name is only in the new state. A run that
// failed because ctx ended is not repeated.
func runWithRetry(ctx context.Context, run func(context.Context, *Request) (Outcome, error), r *Request) (Outcome, error) {
	r.Params.UseAll()
	var retry dig.Retry
	if value, ok := r.Params.Value("_retry"); ok {
		var err error
		if retry, err = dig.ParseRetry(value); err != nil {
			return Outcome{}, err
		}
	}
	done, err := param.NewReader(r.State).IntOr("retry_count", 0)
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := run(ctx, r)
	cause := err
	if err == nil && outcome.Again != nil {
		cause = outcome.Again.Cause
	}
	if _, early := errors.AsType[*unretried](err); early || cause == nil || done >= retry.Limit || ctx.Err() != nil {
		return outcome, err
	}
	if outcome.Again != nil && outcome.Again.Job {
		return outcome, err
	}
	state := r.State.Clone()
	state.Set("retry_count", int64(done+1))
	state.Delete("commandStatus")
	outcome.Result, outcome.Origin = trowel.Result{}, trowel.Origin{}
	outcome.Again = &Again{After: retry.Delay(done), State: state, Cause: cause, Job: r.Lease.Job}
	return outcome, nil
}
