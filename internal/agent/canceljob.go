package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

// How long an agent goes on trying to cancel a job, and how long it waits between two calls. The waits double.
const (
	cancelWithin       = time.Minute
	firstCancelPause   = time.Second
	longestCancelPause = 20 * time.Second
)

// errNotCanceled ends the calls that cancel a job.
var errNotCanceled = fmt.Errorf("not canceled within %v", cancelWithin)

// jobLeft returns the state that names a job which goes on after a run, or may go on; nil if there is none.
func (t *try) jobLeft(outcome *operator.Outcome, err error) *param.Map {
	switch {
	case outcome.Again != nil && outcome.Again.Job:
		return outcome.Again.State
	case err != nil && t.lease.Job:
		return t.lease.StateParams
	}
	return nil
}

// cancelJob cancels the job that a state names, and returns what becomes of the try. A task that is killed has no other
// result.
func (t *try) cancelJob(state *param.Map, out *output, log *slog.Logger) trowel.Report {
	t.waiting()
	ctx, end := t.untilStopped()
	defer end(nil)
	err := t.callCancel(ctx, state, out, log)
	switch {
	case err == nil:
		t.say(log, slog.LevelInfo, fmt.Sprintf("Task %s is canceled.", t.lease.FullName)) // operators 1.14
		return trowel.Report{Outcome: trowel.OutcomeSuccess}
	case ctx.Err() != nil: // another agent goes on with it
		log.Warn("Stopped")
		return trowel.Report{Outcome: trowel.OutcomePoll, StateParams: state, Job: true}
	}
	message, _ := operator.Kind(err)
	text := fmt.Sprintf("Task %s is canceled, but what it has started outside may go on: %s", t.lease.FullName, message)
	t.say(log, slog.LevelError, text)
	t.say(log, slog.LevelError, "Its state names what is left: "+param.JSON(t.shown(state)))
	report := failure(err)
	report.Job, report.LastLines = true, []string{text}
	return report
}

// shown is a state without the secrets that the try was given.
func (t *try) shown(state *param.Map) *param.Map {
	places := t.given.Places(&trowel.Report{StateParams: state})
	return places.Hide(trowel.AreaState, state)
}

// callCancel has the operator cancel the job, again and again until it can.
func (t *try) callCancel(ctx context.Context, state *param.Map, out *output, log *slog.Logger) error {
	ctx, end := context.WithTimeoutCause(ctx, cancelWithin, errNotCanceled)
	defer end()
	for pause := firstCancelPause; ; pause = min(2*pause, longestCancelPause) {
		err := t.callCancelOnce(ctx, state, out, log)
		if _, hopeless := errors.AsType[*hopeless](err); err == nil || hopeless || ctx.Err() != nil {
			return err
		}
		message, _ := operator.Kind(err)
		log.Warn("cannot cancel what the task has started outside, and tries again", slog.String("error", message))
		if wait.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// hopeless is an error of the task's configuration, which another call would meet again.
type hopeless struct{ error }

// Unwrap returns the error.
func (h *hopeless) Unwrap() error { return h.error }

// callCancelOnce evaluates the configuration and calls the operator once. A panic is an error.
func (t *try) callCancelOnce(ctx context.Context, state *param.Map, out *output, log *slog.Logger) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic", slog.String("stack", string(debug.Stack())))
			err = &operator.Error{Kind: "panic", Message: fmt.Sprint(p)}
		}
	}()
	task, ok, err := t.configure(ctx)
	if err == nil && !ok {
		err = errors.New("the task has no operator")
	}
	if err != nil {
		return &hopeless{err}
	}
	request := t.request(&task, out, log)
	request.State = state
	defer t.leave(t.lend(request), log)
	return t.agent.opts.Operators.Cancel(ctx, task.Type, request)
}

// untilStopped returns a context for what is done about a try that was killed. It ends if the agent stops or loses the
// try, and not by another kill.
func (t *try) untilStopped() (context.Context, context.CancelCauseFunc) {
	a := t.agent
	ctx, cancel := context.WithCancelCause(a.ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if cause := context.Cause(t.ctx); cause != nil && !errors.Is(cause, ErrKilled) {
		cancel(cause)
	}
	a.active[t.lease.ID()] = unlessKilled(cancel)
	return ctx, cancel
}

// unlessKilled returns cancel without effect for kills.
func unlessKilled(cancel context.CancelCauseFunc) context.CancelCauseFunc {
	return func(cause error) {
		if !errors.Is(cause, ErrKilled) {
			cancel(cause)
		}
	}
}
