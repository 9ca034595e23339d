package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	// pollEvery is the longest sleep of the loops, in case a change by another server went unnoticed.
	pollEvery = 30 * time.Second
	// retryAfter is how long they sleep after an error.
	retryAfter = time.Second
)

// Options are the dependencies of a Scheduler. All but Shared are required.
type Options struct {
	// Shared says that other servers may run a scheduler on the same database, so that they share the due schedules. The
	// store must let a transaction wait for another one.
	Shared   bool
	Store    trowel.Store
	Launcher *launch.Launcher
	Now      func() time.Time
	Log      *slog.Logger
}

// Scheduler starts the sessions of schedules and the attempts of backfills. Any number of servers may run one on the
// same database: a session is started only once, because its unnamed attempt is unique.
type Scheduler struct {
	opts  Options
	due   wait.Signal // schedules may have changed
	ended wait.Signal // attempts have ended, or new ones wait
}

// New returns a Scheduler; call Run.
func New(opts Options) *Scheduler {
	return &Scheduler{opts: opts, due: wait.NewSignal(), ended: wait.NewSignal()}
}

// Run starts what is due until ctx ends, and returns its cause. The earliest due instant wakes it, Wake, AttemptsEnded,
// and a timer every 30 seconds. Failures are logged and tried again. If it dies between the start of a session and the
// move of its schedule, the next scheduler finds the session started and moves the schedule.
func (s *Scheduler) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	loops.Go(func() { s.loop(ctx, s.due, s.startDue) })
	loops.Go(func() { s.loop(ctx, s.ended, s.beginDelayed) })
	loops.Wait()
	return context.Cause(ctx)
}

// Wake says that schedules were changed, by a push or by people, or that a backfill was created.
func (s *Scheduler) Wake() {
	s.due.Set()
	s.ended.Set()
}

// AttemptsEnded says that attempts have ended, so that the next ones of backfills may begin. It does not block.
func (s *Scheduler) AttemptsEnded() { s.ended.Set() }

// loop repeats a check: at the instant that the last check returned, and when it is woken. A zero instant is none.
func (s *Scheduler) loop(ctx context.Context, wake <-chan struct{}, check func(context.Context) (time.Time, error)) {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	for {
		next, err := check(ctx)
		if ctx.Err() != nil {
			return
		}
		timer.Reset(s.sleepTime(ctx, next, err))
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-timer.C:
		}
	}
}

// sleepTime returns how long a loop may sleep after a check.
func (s *Scheduler) sleepTime(ctx context.Context, next time.Time, err error) time.Duration {
	switch {
	case errors.Is(err, errStuck):
		return retryAfter
	case err != nil:
		s.opts.Log.WarnContext(ctx, "schedules not checked", slog.Any("error", err))
		return retryAfter
	case next.IsZero():
		return pollEvery
	}
	return min(pollEvery, max(0, next.Sub(s.opts.Now())))
}

// errStuck says that schedules are due and could not be moved because another server handles them.
var errStuck = errors.New("nothing could be moved")
