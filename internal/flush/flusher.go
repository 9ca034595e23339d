package flush

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// Evaluator evaluates templates; package template has it.
type Evaluator interface {
	Config(ctx context.Context, scope, local *param.Map, zone *time.Location) (*param.Map, error)
}

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
	// Templates evaluates options of tasks (control K108); nil lets tasks with templates in them fail.
	Templates Evaluator
	// Rules say how much waiting counts.
	Rules queue.Rules
	// MaxRunning is how many tasks may run at the same time on all agents (control K814); zero for any
	// number.
	MaxRunning int
	// AnyPool lets pools that do not exist be without limit, as in a local run.
	AnyPool bool
	// Poison is how often in a row a task may be lost with its agent before it is set aside; zero for
	// ever.
	Poison int
	// ServerID is the name under which remote agents are served here, see trowel.Agent.
	ServerID string
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
	// Outdated is told when later versions alone may write to the store, as trowel.Writers.Check says: the flusher
	// claims nothing any more. It must not wait, and may be told more than once. It may be nil.
	Outdated func(err error)
	// LeftAlone is called whenever an attempt is left alone from now on, as later versions have written what this one
	// does not know. It may be nil.
	LeftAlone func()
	// Announce is called at the end of each transaction with what it changes, to tell other servers with
	// the commit; they call Heard. It may be nil.
	Announce func(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error
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

	backlog  *queue.Backlog
	known    known
	controls map[trowel.WorkflowID]trowel.Control // of some workflows
	asked    map[trowel.TaskID]bool               // options that are being evaluated
	waiting  map[trowel.WorkflowName]bool         // workflows of which attempts may wait for their admission
	// toEvaluate are options that images were found with.
	toEvaluate []evaluation
	evaluated  sync.WaitGroup

	gathering gathering

	stopped bool // by an observer

	lost []trowel.Orphan // that the goroutine in watch found last

	resting       atomic.Bool // takes nothing new
	limitsChanged atomic.Bool
	failing       atomic.Pointer[error] // why the database has taken nothing of late; nil if it does

	mu      sync.Mutex
	pending []*event
	// attached are the agents besides the own one, and admit the workflows of which attempts may be
	// admitted.
	attached []queue.Agent
	admit    map[trowel.WorkflowName]bool
	// elsewhere are attempts in which other servers have left ready tasks, see lookElsewhere; elsewhereWeight
	// is the largest weight that was told since.
	elsewhere       map[trowel.AttemptID]bool
	elsewhereWeight int
	looks           looks
	closed          error         // why nothing more is taken
	wake            chan struct{} // has room for one: something is pending, or the agent has room
	around          chan struct{} // has room for one: look around now
}

// New returns a Flusher; Run makes it work.
func New(opts Options) *Flusher {
	if opts.Poll <= 0 {
		opts.Poll = 10 * time.Second
	}
	return &Flusher{
		opts: opts, images: newImages(), wake: make(chan struct{}, 1),
		backlog: queue.NewBacklog(opts.Rules), known: known{stale: true}, asked: map[trowel.TaskID]bool{},
		admit: map[trowel.WorkflowName]bool{}, controls: map[trowel.WorkflowID]trowel.Control{},
		waiting: map[trowel.WorkflowName]bool{}, elsewhere: map[trowel.AttemptID]bool{}, around: make(chan struct{}, 1),
	}
}

// Run flushes until ctx ends, or, unless it is lasting, a transaction cannot be written. It is woken
// by events, by the agent (Wake) and by the earliest timer. If it dies half-way, the transaction did
// not happen.
func (f *Flusher) Run(ctx context.Context) (err error) {
	defer func() { f.close(err) }()
	defer f.evaluated.Wait()
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
		f.gathering.wait()
		slots := f.slots() // before the reports that gave them back are taken, never after
		batch, ids, rest := f.take()
		if rest {
			slots = nil
		}
		if len(ids) > 0 {
			f.lookAt(ctx, ids)
		}
		f.lookForAdmission(ctx)
		batch = f.timers.appendDue(batch, f.opts.Now())
		chosen := f.choose(ctx, batch, slots)
		f.lookElsewhere(&chosen)
		if len(batch) > 0 || chosen.any() {
			if err := f.flush(ctx, batch, chosen); err != nil {
				return err
			}
			continue
		}
		if len(ids) > 0 {
			continue
		}
		timer.Reset(f.untilNext())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.wake:
		case <-timer.C:
		}
	}
}

// untilNext is how long there is nothing to do, if nothing comes. What a limit keeps from running is looked
// at again soon, as others may give back without telling.
func (f *Flusher) untilNext() time.Duration {
	next := f.timers.untilNext(f.opts.Now())
	if f.known.limited && f.opts.Adopt {
		f.known.stale = true
		next = min(next, recheck)
	}
	return next
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

// outdated ends all claims of a build that may not write any more.
func (f *Flusher) outdated(err error) {
	f.Rest()
	if f.opts.Outdated != nil {
		f.opts.Outdated(err)
	}
}

// Report takes the end of a try. It does not wait for the commit; r.Answer is told of it.
func (f *Flusher) Report(r trowel.Report) {
	f.submit(&event{attempt: r.AttemptID, what: engine.Report{Report: r}})
	f.gathering.ended(time.Now())
}

// Heard is called with what another server has changed. Attempts that are not in memory are of no matter, unless
// they have ready tasks for any agent.
func (f *Flusher) Heard(n cluster.Attempts) {
	if n.Any {
		f.Missed()
		return
	}
	f.mu.Lock()
	f.looks.add(n.Changed, false)
	if f.opts.Adopt {
		for _, id := range n.Changed {
			delete(f.elsewhere, id)
		}
		for _, id := range n.Ready {
			f.elsewhere[id] = true
		}
		f.elsewhereWeight = max(f.elsewhereWeight, n.Weight)
	}
	f.mu.Unlock()
	if n.Limits {
		f.limitsChanged.Store(true)
	}
	f.Wake()
}

// Missed tells that something of what other servers have changed was not heard.
func (f *Flusher) Missed() {
	f.limitsChanged.Store(true)
	select {
	case f.around <- struct{}{}:
	default:
	}
}

// Kill asks all tasks of an attempt to stop, and returns once that is written. One that is done is
// an ErrConflict with Digdag's text, one that is unknown an ErrNotFound. If ctx ends before, that is
// an ErrUnavailable: nothing was done, or, if the message says so, it is not known.
func (f *Flusher) Kill(ctx context.Context, id trowel.AttemptID, actor string) error {
	return f.KillBy(ctx, id, actor, nil)
}

// KillBy is Kill with a record for the audit, of which what it is about is filled in.
func (f *Flusher) KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.Record) error {
	ev := &event{attempt: id, what: engine.Kill{}, actor: actor, record: record, done: make(chan error, 1)}
	f.submit(ev)
	return f.wait(ctx, ev)
}

// Drain returns once everything that was submitted before is written.
func (f *Flusher) Drain(ctx context.Context) error {
	ev := &event{done: make(chan error, 1)}
	f.submit(ev)
	return f.wait(ctx, ev)
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

// take returns the events of the next transaction, whether there are more, and attempts to look at before.
func (f *Flusher) take() (batch []*event, ids []trowel.AttemptID, rest bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(f.pending), maxBatch)
	batch = f.pending[:n:n]
	f.pending = f.pending[n:]
	return batch, f.looks.take(&f.images), len(f.pending) > 0
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
