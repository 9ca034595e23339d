package flush

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/wait"
)

// Flusher is the only writer of task states in a process. It joins its parts, which run on the goroutine of
// Run, except where they have a mutex, and except the recoverer, which has a goroutine of its own.
type Flusher struct {
	store    trowel.Store
	now      func() time.Time
	watches  bool // runs the recoverer
	recovers bool // serves attempts that it did not begin

	inbox     *inbox     // what is to be written
	cache     *cache     // the attempts in memory
	timers    *timers    // when attempts go on
	agents    *agents    // what tasks are given to
	starter   *starter   // begins attempts
	admission *admission // begins attempts that had to wait
	claimer   *claimer   // gives tasks to agents
	committer *committer // runs the transactions
	evaluator *evaluator // evaluates options of tasks
	reloader  *reloader  // reads what other servers have changed
	recoverer *recoverer // finds what was missed, and agents that are gone
	linger    *linger    // waits a moment for more to write
}

// New returns a Flusher; Run makes it work.
func New(o Options) *Flusher {
	if o.Poll <= 0 {
		o.Poll = 10 * time.Second
	}
	f := &Flusher{
		store: o.Store, now: o.Now, watches: o.Recover || o.RetryForever, recovers: o.Recover,
		inbox: &inbox{wake: wait.NewSignal()}, cache: newCache(), timers: &timers{ttls: o.TTLs},
		agents: &agents{own: o.Agent, serverID: o.ServerID}, linger: &linger{},
	}
	known, backlog := newWorkflows(), queue.NewBacklog(o.Rules)
	loader := &loader{
		log: o.Log, now: o.Now, cache: f.cache, timers: f.timers, backlog: backlog, agents: f.agents, workflows: known,
		defaults: o.Defaults, onLeave: o.LeftAlone,
	}
	f.admission = &admission{
		store: o.Store, log: o.Log, inbox: f.inbox, workflows: known,
		waiting: map[trowel.WorkflowName]bool{}, requested: map[trowel.WorkflowName]bool{},
	}
	f.starter = &starter{admission: f.admission, workflows: known, defaults: o.Defaults, maxAttempts: o.Attempts}
	f.evaluator = &evaluator{inbox: f.inbox, templates: o.Templates, asked: map[trowel.TaskID]bool{}}
	f.claimer = &claimer{
		store: o.Store, log: o.Log, now: o.Now, cache: f.cache, backlog: backlog, agents: f.agents,
		maxRunning: o.MaxRunning, anyPool: o.AnyPool, outdated: o.Outdated, known: knownLimits{stale: true},
	}
	f.committer = &committer{
		store: o.Store, log: o.Log, now: o.Now, notify: o.Notify, retryForever: o.RetryForever,
		parts: txnParts{cache: f.cache, ids: &ids{}, count: &attemptCount{}, bounds: o.Limits, spare: &spare{}},
		inbox: f.inbox, loader: loader, admission: f.admission, claimer: f.claimer,
		publisher: &publisher{
			log: o.Log, observers: o.Observers, listeners: o.Listeners, cache: f.cache, loader: loader, timers: f.timers,
			claimer: f.claimer, agents: f.agents, admission: f.admission, evaluator: f.evaluator, linger: f.linger,
		},
	}
	f.reloader = &reloader{
		store: o.Store, log: o.Log, now: o.Now, loader: loader, wake: f.inbox.wake, recovers: o.Recover,
		remote: remoteReady{attempts: map[trowel.AttemptID]bool{}},
	}
	f.recoverer = &recoverer{
		store: o.Store, log: o.Log, now: o.Now, inbox: f.inbox, reloader: f.reloader, admission: f.admission, own: o.Agent,
		recovers: o.Recover, exclusive: o.Exclusive, poll: o.Poll, poison: o.Poison, ttls: o.TTLs, gap: wait.NewSignal(),
	}
	return f
}

// Run flushes until ctx ends or an observer stops it; without RetryForever also until a transaction cannot be
// written. It is woken by requests, by an agent that has room (Wake), and by the earliest alarm. If it dies
// half-way, nothing of the open transaction has happened.
func (f *Flusher) Run(ctx context.Context) (err error) {
	defer func() { f.close(err) }()
	defer f.evaluator.running.Wait()
	if f.watches {
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { f.recoverer.run(watching) })
		defer watch.Wait()
		defer stop()
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		again, err := f.turn(ctx)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		timer.Reset(f.untilNext())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.inbox.wake:
		case <-timer.C:
		}
	}
}

// turn does what is to be done now, in one transaction. It reports whether it must be called again at once.
func (f *Flusher) turn(ctx context.Context) (again bool, err error) {
	f.linger.wait()
	slots := f.agents.slots() // must come before inbox.take, so that the reports that freed the slots are in the batch
	batch, more := f.inbox.take()
	if more {
		slots = nil
	}
	stale := f.reloader.take()
	if len(stale) > 0 {
		f.reloader.reload(ctx, stale)
	}
	f.admission.submitWaiting(ctx)
	batch = f.timers.appendDue(batch, f.now())
	chosen := f.claimer.choose(ctx, batch, slots)
	f.reloader.stealReady(&chosen)
	if len(batch) > 0 || chosen.any() {
		return true, f.committer.flush(ctx, batch, chosen)
	}
	return len(stale) > 0, nil
}

// untilNext returns how long Run may sleep. Limits that block something are read again soon, in case another
// server has given back to them and the message was lost.
func (f *Flusher) untilNext() time.Duration {
	next := f.timers.untilNext(f.now())
	if f.recovers && f.claimer.recheckBlocking() {
		next = min(next, recheck)
	}
	return next
}

// close answers all requests, and closes the channels of all who wait for the end of an attempt.
func (f *Flusher) close(cause error) {
	f.inbox.close(cause)
	f.cache.close()
}
