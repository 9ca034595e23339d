package operator

import (
	"context"
	"errors"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Steps is the state of an operator whose work takes several runs: it sends something, waits for it, and fetches the
// result (operators 1.11). Each step keeps what it knows under a key of its own. A step that has to go on in another
// run returns an *Again as its error, which the operator passes on to Steps.Outcome.
type Steps struct {
	// Job is set as long as the state names a job that goes on outside, or may go on, see Again.Job. It counts where
	// Outcome is called.
	Job bool

	ctx   context.Context //nolint:containedctx // of the run that the steps belong to
	state *param.Map      // of this level; belongs to the Steps
}

// NewSteps returns the state of a task, for one run.
func NewSteps(ctx context.Context, r *Request) *Steps {
	return &Steps{ctx: ctx, state: deepClone(r.State)}
}

// deepClone copies a map with the maps in it. Lists are shared: no step changes one.
func deepClone(m *param.Map) *param.Map {
	out := param.Sized(m.Len())
	for key, value := range m.All() {
		if inner, ok := value.(*param.Map); ok {
			value = deepClone(inner)
		}
		out.Set(key, value)
	}
	return out
}

// State returns the state of this level. Changes of it are kept.
func (s *Steps) State() *param.Map { return s.state }

// Read reads the state of this level.
func (s *Steps) Read() *param.Reader { return param.NewReader(s.state) }

// At returns the part of the state under a key, which is made if it is missing or no object.
func (s *Steps) At(key string) *Steps {
	value, _ := s.state.Get(key)
	inner, ok := value.(*param.Map)
	if !ok {
		inner = param.New()
		s.state.Set(key, inner)
	}
	return &Steps{ctx: s.ctx, state: inner}
}

// Outcome returns what the operator returns: result, or another run with the present state if err is an *Again, or the
// error. Links and usage of result stay in each case.
func (s *Steps) Outcome(result Outcome, err error) (Outcome, error) {
	again, ok := errors.AsType[*Again](err)
	if !ok {
		return result, err
	}
	again.State, again.Job = s.state, s.Job
	return Outcome{Again: again, Links: result.Links, Usage: result.Usage}, nil
}

// Later returns the error of a step that goes on in another run.
func Later(after time.Duration) error { return &Again{After: after} }

// Constant returns a value that is made once. The first run that asks for it ends at once, so that the value is
// stored before anything is done with it.
func (s *Steps) Constant(key string, create func() string) (string, error) {
	value, found, err := s.Read().OptString(key)
	if err != nil || found {
		return value, err
	}
	s.state.Set(key, create())
	return "", Later(0)
}

// Retry describes how a step is tried again (operators 1.11, retry executor). There is no limit of the number of tries.
type Retry struct {
	Key string // where the step keeps its state
	// Passing reports whether an error may pass, so that the step is tried again. Other errors fail the task.
	Passing func(error) bool
	// The pauses double from Min to Max; 1 and 30 seconds if they are zero.
	Min, Max time.Duration
}

// Retry runs a step, and again in later runs while its error may pass. The step has state of its own.
func (s *Steps) Retry(how Retry, step func(*Steps) error) error {
	own := s.At(how.Key)
	err := step(own.At("operation"))
	if err == nil {
		own.state.Delete("retry")
		return nil
	}
	if _, again := errors.AsType[*Again](err); again || s.ctx.Err() != nil || how.Passing == nil || !how.Passing(err) {
		return err
	}
	done, readErr := own.Read().IntOr("retry", 0)
	if readErr != nil {
		return readErr
	}
	own.state.Set("retry", int64(done+1))
	return &Again{After: doubled(how.Min, how.Max, done), Cause: err}
}

// Once is Retry for a step that must not be done again once it has succeeded. Its value is stored and returned from then on.
// The step stores nothing if its value is nil.
func (s *Steps) Once(how Retry, step func(*Steps) (param.Value, error)) (param.Value, error) {
	own := s.At(how.Key)
	if done, err := own.Read().BoolOr("done", false); err != nil {
		return nil, err
	} else if done {
		value, _ := own.state.Get("result")
		return value, nil
	}
	var value param.Value
	err := s.Retry(how, func(inner *Steps) (err error) {
		value, err = step(inner)
		return err
	})
	if err != nil {
		return nil, err
	}
	own.state.Set("done", true)
	if value != nil {
		own.state.Set("result", value)
	}
	return value, nil
}

// shortestWait is the least time between two looks at a condition (operators 1.11, waiter).
const shortestWait = 5 * time.Second

// Wait describes how a condition is waited for (operators 1.11, waiter).
type Wait struct {
	Key string // where the step keeps its state
	// The pauses double from Min to Max, and are at least 5 seconds; 1 and 30 seconds if they are zero.
	Min, Max time.Duration
	// Timeout is how long the condition is waited for, from the first look on; zero for no limit.
	Timeout time.Duration
}

// ErrTimeout is the error of a condition that was waited for too long.
var ErrTimeout = &Error{Kind: "polling timeout", Message: "Timeout happened"}

// Wait looks whether a condition holds, and goes on looking in later runs while it does not. The step that looks has state
// of its own.
func (s *Steps) Wait(how Wait, look func(*Steps) (met bool, err error)) error {
	own := s.At(how.Key)
	now := time.Now()
	start := now
	if text, found, err := own.Read().OptString("start_time"); err != nil {
		return err
	} else if found {
		if start, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return Runtimef("the state of the task has a start_time that is no instant: %s", text)
		}
	} else {
		own.state.Set("start_time", now.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	met, err := look(own.At("operation"))
	if err != nil || met {
		return err
	}
	elapsed := now.Sub(start)
	if how.Timeout > 0 && elapsed >= how.Timeout {
		return ErrTimeout
	}
	done, err := own.Read().IntOr("iteration", 0)
	if err != nil {
		return err
	}
	own.state.Set("iteration", int64(done+1))
	after := doubled(how.Min, how.Max, done)
	if how.Timeout > 0 {
		after = min(after, how.Timeout-elapsed)
	}
	after = max(after, shortestWait)
	return Later((after + time.Second - 1).Truncate(time.Second))
}

// doubled returns the pause after a number of pauses that double from low to high; 1 and 30 seconds if they are zero.
func doubled(low, high time.Duration, done int) time.Duration {
	if low <= 0 {
		low = shortestRetry
	}
	if high <= 0 {
		high = longestRetry
	}
	after := low
	for range min(max(done, 0), 62) {
		if after >= high {
			break
		}
		after *= 2
	}
	return min(after, high)
}
