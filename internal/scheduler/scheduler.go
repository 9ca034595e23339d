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
	// poll is how long the loops sleep at most: a net for what other servers changed unheard.
	poll = 30 * time.Second
	// breath is how long they sleep when something went wrong.
	breath = time.Second
)

// Options are what a Scheduler works with. All but Shared are required.
type Options struct {
	// Shared tells that other servers may run a scheduler on the same database: they share what is due. The
	// store must let one transaction wait for another one.
	Shared   bool
	Store    trowel.Store
	Launcher *launch.Launcher
	Now      func() time.Time
	Log      *slog.Logger
}

// Scheduler starts the sessions of schedules and the attempts of backfills. Any number of servers may
// run one on the same database: a session is started once, as its unnamed attempt is unique.
type Scheduler struct {
	opts  Options
	due   wait.Signal // schedules may have changed
	ended wait.Signal // attempts have ended, or wait anew
}

// New returns a Scheduler; Run makes it work.
func New(opts Options) *Scheduler {
	return &Scheduler{opts: opts, due: wait.NewSignal(), ended: wait.NewSignal()}
}

// Run starts what is due until ctx ends, and returns its cause. It is woken by the earliest due
// instant, by Wake and AttemptsEnded, and every 30 seconds. What fails is logged and tried again. If
// it dies between the start of a session and the move of its schedule, the next one finds the session
// started and moves the schedule.
func (s *Scheduler) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	loops.Go(func() { s.loop(ctx, s.due, s.startDue) })
	loops.Go(func() { s.loop(ctx, s.ended, s.beginDelayed) })
	loops.Wait()
	return context.Cause(ctx)
}

// Wake tells that schedules were changed, by a push or by people, or that a backfill was made.
func (s *Scheduler) Wake() {
	s.due.Set()
	s.ended.Set()
}

// AttemptsEnded tells that attempts have ended, so that the next one of a backfill may begin. It does
// not block.
func (s *Scheduler) AttemptsEnded() { s.ended.Set() }

// loop checks again and again: at the instant that the last check asked for, or when it is woken. A
// zero instant asks for nothing.
func (s *Scheduler) loop(ctx context.Context, wake <-chan struct{}, check func(context.Context) (time.Time, error)) {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		next, err := check(ctx)
		if ctx.Err() != nil {
			return
		}
		timer.Reset(s.rest(ctx, next, err))
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-timer.C:
		}
	}
}

// rest returns how long a loop may sleep after a check.
func (s *Scheduler) rest(ctx context.Context, next time.Time, err error) time.Duration {
	switch {
	case errors.Is(err, errStuck):
		return breath
	case err != nil:
		s.opts.Log.WarnContext(ctx, "schedules not checked", slog.Any("error", err))
		return breath
	case next.IsZero():
		return poll
	}
	return min(poll, max(0, next.Sub(s.opts.Now())))
}

// errStuck tells that schedules are due and could not be moved, as another server is at them.
var errStuck = errors.New("nothing could be moved")
