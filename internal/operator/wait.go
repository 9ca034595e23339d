package operator

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	waitInvalid     = "Invalid configuration"                               // language O29
	waitPollBlocked = "poll_interval can't be specified with blocking:true" // language O29
	// waitInterrupted is the beginning of Digdag's text (operators 2.10).
	waitInterrupted = "`wait` operator with blocking mode is interrupted"

	waitStartKey = "wait_start_time_millis"
)

// runWait waits for the time that its command says. It is at most about a second late and never early
// (operators 2.10, language O29). It asks to be run again later, or, with blocking, waits itself.
func runWait(ctx context.Context, r *Request) (Outcome, error) {
	if _, err := newWorkspace(r.Project, r.Params); err != nil {
		return Outcome{}, err
	}
	options, err := readWait(r.Params)
	if err != nil {
		return Outcome{}, err
	}
	now := time.Now()
	start := now
	if millis, before, err := param.NewReader(r.State).OptLong(waitStartKey); err != nil {
		return Outcome{}, err
	} else if before {
		start = time.UnixMilli(millis)
	}
	end := start.Add(options.length)
	if now.After(end) {
		return Success()
	}
	left := max(end.Sub(now).Truncate(time.Second), time.Second)
	if options.blocking {
		r.Waiting()
		return waitHere(ctx, left)
	}
	if options.hasInterval {
		left = options.interval
	}
	state := r.State.Clone()
	state.Set(waitStartKey, start.UnixMilli())
	return Poll(left, state)
}

func waitHere(ctx context.Context, left time.Duration) (Outcome, error) {
	if cause := wait.Sleep(ctx, left); cause != nil {
		return Outcome{}, &Error{Kind: KindRuntime, Message: waitInterrupted, Err: cause}
	}
	return Success()
}

type waitOptions struct {
	length      time.Duration
	blocking    bool
	interval    time.Duration // between polls, if hasInterval
	hasInterval bool
}

func readWait(params *param.Reader) (o waitOptions, err error) {
	command, err := params.String("_command")
	if err == nil {
		o.length, err = param.ParseDuration(command)
	}
	if err != nil {
		return o, &Error{Kind: KindConfig, Message: waitInvalid, Err: err}
	}
	if o.blocking, err = params.BoolOr("blocking", false); err != nil {
		return o, err
	}
	interval, hasInterval, err := params.OptString("poll_interval")
	if err == nil && hasInterval {
		o.interval, err = param.ParseDuration(interval)
	}
	if err != nil {
		return o, &Error{Kind: KindConfig, Message: waitInvalid, Err: err}
	}
	o.hasInterval = hasInterval
	if o.blocking && o.hasInterval {
		return o, param.Errorf(waitPollBlocked)
	}
	return o, nil
}
