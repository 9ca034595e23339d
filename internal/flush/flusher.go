package flush

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// Observer hears of every commit, before the tasks that it made possible are given to an agent. An
// error ends the flusher: nothing more is started.
type Observer interface {
	Committed(batch *Batch) error
}

// Batch is what one transaction changed. Its tasks are live rows: an observer neither keeps nor
// changes them.
type Batch struct {
	At       time.Time
	Changes  []engine.Change
	Tries    []trowel.Try
	Ended    []trowel.Attempt
	Warnings []string
}

// Options are what a Flusher works with. Store, Agent, Now and Log are required.
type Options struct {
	Store     trowel.Store
	Agent     queue.Agent
	Now       func() time.Time
	Log       *slog.Logger
	Observers []Observer
	Limits    engine.Limits
	// Attempts is how many attempts may run at the same time (language C40).
	Attempts int
}

// maxBatch bounds how many events one transaction takes.
const maxBatch = 2000

// Flusher is the one writer of task states in a process.
type Flusher struct {
	opts Options

	// Of the goroutine in Run alone.
	images images
	ids    ids
	timers timers
	served trowel.AttemptID // whose task was claimed last

	mu      sync.Mutex
	pending []*event
	closed  error         // why nothing more is taken
	wake    chan struct{} // has room for one: something is pending, or the agent has room
}

// New returns a Flusher; Run makes it work.
func New(opts Options) *Flusher {
	return &Flusher{opts: opts, images: images{byID: map[trowel.AttemptID]*attempt{}}, wake: make(chan struct{}, 1)}
}

// Run flushes until ctx ends or a transaction cannot be written. It is woken by events, by the
// agent (Wake) and by the earliest timer. If it dies half-way, the transaction did not happen.
func (f *Flusher) Run(ctx context.Context) (err error) {
	defer func() { f.close(err) }()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		batch := f.timers.appendDue(f.take(), f.opts.Now())
		if len(batch) > 0 || f.claimable() {
			if err := f.flush(ctx, batch); err != nil {
				return err
			}
			continue
		}
		timer.Reset(f.timers.untilNext(f.opts.Now()))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.wake:
		case <-timer.C:
		}
	}
}

// Wake tells the flusher that the agent has room again.
func (f *Flusher) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Report takes the end of a try. It does not wait for the commit.
func (f *Flusher) Report(r trowel.Report) {
	f.submit(&event{attempt: r.AttemptID, what: engine.Report{Report: r}})
}

// Kill asks all tasks of an attempt to stop, and returns once that is written. An attempt that is
// unknown or done is an ErrNotFound.
func (f *Flusher) Kill(ctx context.Context, id trowel.AttemptID, actor string) error {
	ev := &event{attempt: id, what: engine.Kill{}, actor: actor, done: make(chan error, 1)}
	f.submit(ev)
	return ev.wait(ctx)
}

// Start begins an attempt and returns once that is written. Too many tasks or attempts are an
// ErrLimit with Digdag's text; a taken name is an ErrConflict.
func (f *Flusher) Start(ctx context.Context, s Start) (*Started, error) {
	started := &Started{Ended: make(chan trowel.Attempt, 1)}
	ev := &event{start: &s, started: started, actor: s.Attempt.Actor, done: make(chan error, 1)}
	f.submit(ev)
	if err := ev.wait(ctx); err != nil {
		return nil, err
	}
	return started, nil
}

// Drain returns once everything that was submitted before is written.
func (f *Flusher) Drain(ctx context.Context) error {
	ev := &event{done: make(chan error, 1)}
	f.submit(ev)
	if err := ev.wait(ctx); !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	return nil // there is no attempt 0
}

func (f *Flusher) submit(ev *event) {
	f.mu.Lock()
	closed := f.closed
	if closed == nil {
		f.pending = append(f.pending, ev)
	}
	f.mu.Unlock()
	if closed != nil {
		ev.resolve(closed)
		return
	}
	f.Wake()
}

func (f *Flusher) take() []*event {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(f.pending), maxBatch)
	batch := f.pending[:n:n]
	f.pending = f.pending[n:]
	return batch
}

// close answers all who still wait.
func (f *Flusher) close(cause error) {
	if cause == nil {
		cause = trowel.ErrCanceled
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = errors.Join(trowel.ErrUnavailable, cause)
	for _, ev := range f.pending {
		ev.resolve(f.closed)
	}
	f.pending = nil
	for _, a := range f.images.byID {
		a.close()
	}
}

func (f *Flusher) claimable() bool { return f.images.ready() && f.opts.Agent.Free() > 0 }
