package flush

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// Options are what a Flusher works with. Store, Agent, Now and Log are required. Without more it
// serves the attempts that it begins itself, and ends when the store fails; Lasting and Adopt are for
// servers.
type Options struct {
	Store     trowel.Store
	Agent     queue.Agent
	Now       func() time.Time
	Log       *slog.Logger
	Observers []Observer
	Listeners []Listener
	Limits    engine.Limits
	// Attempts is how many attempts may run at the same time (language C40).
	Attempts int
	// Defaults are parameters of all attempts, the weakest; may be nil.
	Defaults *param.Map
	// TTLs end attempts that take too long (language 3.13).
	TTLs engine.TTLs

	// Lasting makes the flusher outlive a store that is away, however long: it keeps its events and
	// tries again. Events that the store can never take are given up one by one, with an error in the
	// log.
	Lasting bool
	// Adopt makes the flusher go on with all running attempts of the store, those that it finds when it
	// begins and those that other servers begin, and release the tasks of agents that are gone.
	Adopt bool
	// Sole tells that no other process uses the store, which an operating system's lock must warrant:
	// all other agents in it are dead.
	Sole bool
	// Poll is how often a lasting or adopting flusher looks for what nobody told it of; 10 s if zero.
	Poll time.Duration
	// Announce is called at the end of each transaction with the attempts that it changes, to tell
	// other servers with the commit; they call Changed. It may be nil.
	Announce func(ctx context.Context, tx trowel.Tx, ids []trowel.AttemptID) error
}

// maxBatch bounds how many events one transaction takes, and maxLooks how many attempts are looked at
// between two.
const (
	maxBatch = 2000
	maxLooks = 100
)

// Flusher is the one writer of task states in a process.
type Flusher struct {
	opts Options

	// Of the goroutine in Run alone.
	images images
	ids    ids
	timers timers
	count  counter

	stopped bool // by an observer

	resting atomic.Bool // takes nothing new

	mu      sync.Mutex
	pending []*event
	looks   looks
	closed  error         // why nothing more is taken
	wake    chan struct{} // has room for one: something is pending, or the agent has room
}

// New returns a Flusher; Run makes it work.
func New(opts Options) *Flusher {
	if opts.Poll <= 0 {
		opts.Poll = 10 * time.Second
	}
	return &Flusher{
		opts: opts, images: images{byID: map[trowel.AttemptID]*attempt{}}, wake: make(chan struct{}, 1),
	}
}

// Run flushes until ctx ends, or, unless it is lasting, a transaction cannot be written. It is woken
// by events, by the agent (Wake) and by the earliest timer. If it dies half-way, the transaction did
// not happen.
func (f *Flusher) Run(ctx context.Context) (err error) {
	defer func() { f.close(err) }()
	if f.opts.Adopt || f.opts.Lasting {
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { f.watch(watching) })
		defer watch.Wait()
		defer stop()
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		batch, ids := f.take()
		if len(ids) > 0 {
			f.lookAt(ctx, ids)
		}
		batch = f.timers.appendDue(batch, f.opts.Now())
		if len(batch) > 0 || f.claimable() {
			if err := f.flush(ctx, batch); err != nil {
				return err
			}
			continue
		}
		if len(ids) > 0 {
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

// Rest takes nothing new: what is ready stays so, while reports, kills and starts are written as
// ever. It is the first step of an orderly stop (language X61) and cannot be taken back.
func (f *Flusher) Rest() { f.resting.Store(true) }

// Report takes the end of a try. It does not wait for the commit.
func (f *Flusher) Report(r trowel.Report) {
	f.submit(&event{attempt: r.AttemptID, what: engine.Report{Report: r}})
}

// Changed tells that another server has changed or begun these attempts.
func (f *Flusher) Changed(ids ...trowel.AttemptID) {
	f.mu.Lock()
	f.looks.add(ids)
	f.mu.Unlock()
	f.Wake()
}

// Kill asks all tasks of an attempt to stop, and returns once that is written. One that is done is
// an ErrConflict with Digdag's text, one that is unknown an ErrNotFound. If ctx ends before, that is
// an ErrUnavailable: nothing was done, or, if the message says so, it is not known.
func (f *Flusher) Kill(ctx context.Context, id trowel.AttemptID, actor string) error {
	ev := &event{attempt: id, what: engine.Kill{}, actor: actor, done: make(chan error, 1)}
	f.submit(ev)
	return ev.wait(ctx)
}

// Drain returns once everything that was submitted before is written.
func (f *Flusher) Drain(ctx context.Context) error {
	ev := &event{done: make(chan error, 1)}
	f.submit(ev)
	return ev.wait(ctx)
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

// take returns the events of the next transaction, and attempts to look at before.
func (f *Flusher) take() (batch []*event, ids []trowel.AttemptID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(f.pending), maxBatch)
	batch = f.pending[:n:n]
	f.pending = f.pending[n:]
	return batch, f.looks.take(&f.images, f.opts.Adopt)
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

// free is how many tasks may be claimed now.
func (f *Flusher) free() int {
	if f.resting.Load() {
		return 0
	}
	return f.opts.Agent.Free()
}

func (f *Flusher) claimable() bool { return f.images.turns.Len() > 0 && f.free() > 0 }
