package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Causes that end the context of a task.
var (
	// ErrKilled says that the attempt was killed.
	ErrKilled = errors.New("the attempt was killed")
	// ErrStopped says that the agent was stopped.
	ErrStopped = errors.New("stopped")
	// ErrLost says that the agent lost its lease. The task ends at once, because another agent may be running it by now.
	ErrLost = fmt.Errorf("the lease is lost: %w", command.ErrKill)
)

// Evaluator evaluates templates; package template implements it.
type Evaluator interface {
	Config(ctx context.Context, scope, local *param.Map, zone *time.Location) (*param.Map, error)
	operator.Templates
}

// Hook is called for each task before its operator, and may replace it. Its methods are called concurrently.
type Hook interface {
	// Before is called before a task is evaluated. If it returns done, result is the task's result.
	Before(lease *trowel.Lease) (result trowel.Result, done bool)
	// Instead is called once the configuration is evaluated and the operator selected. If it returns done, result is the
	// task's result.
	Instead(lease *trowel.Lease, selection operator.Selection) (result trowel.Result, done bool)
}

// Log takes the output of a task and the log lines about it, in their order.
type Log struct {
	Output io.WriteCloser
	Logger *slog.Logger
	// Remainder returns the part of the log that is not stored yet, for the report. It is called after Output was closed. It
	// is nil if logs are kept elsewhere.
	Remainder func() []trowel.LogChunk
}

// Options are the dependencies of an Agent. Everything is required unless a comment says otherwise.
type Options struct {
	ID        string   // until Rebind sets another one
	Slots     int      // concurrent tasks; 0 for unlimited
	Queues    []string // the queues it serves; none for the default queue
	Labels    []string
	Limits    trowel.KeptLimits // limits of commands that it keeps, and its bounds
	Anything  bool              // serves all queues, labels and limits, as the only agent of a local run
	Operators operator.Table
	Templates Evaluator
	Commands  command.Executor
	// Secrets finds the secrets of a try.
	Secrets  func(lease *trowel.Lease) secret.Finder
	Sessions operator.Sessions
	Notifier operator.Notifier // may be nil
	// Project is the absolute path of the directory in which all tries work. Empty if each try gets a copy of its
	// revision's files from Workspaces.
	Project    string
	Workspaces *archive.Workspaces
	TaskLimit  int
	Now        func() time.Time
	// OpenLog opens the log of a try. It is closed when the try ends, before the report.
	OpenLog func(lease *trowel.Lease) Log
	Hook    Hook // may be nil
	// Report is called at the end of a try, and Wake when there is a free slot. Neither may block, and Report must not
	// call the agent.
	Report func(trowel.Report)
	Wake   func()
	// Suspended is called with the reason when the agent suspends taking tasks, and with "" when it resumes. It must not
	// block or call the agent. A suspension is announced before the Report of the try that caused it. Suspended may be nil.
	Suspended func(reason string)
	// Advice returns what can be done about a failure, as a line for the log of the try; empty if unknown. It may be
	// nil.
	Advice func(lease *trowel.Lease, err error) string
	Log    *slog.Logger // about the agent, not about tries; may be nil
}

// maxStarting is how many tasks may be between claim and start. A task that has started a process, or waits for something,
// no longer counts. So any number of tasks can run, but a hundred thousand ready ones do not all become goroutines at
// once.
const maxStarting = 256

// Agent runs tasks in this process, as many at the same time as there are. It implements queue.Agent.
type Agent struct {
	opts Options
	ctx  context.Context //nolint:containedctx // ends all tasks; canceled by Stop
	stop context.CancelCauseFunc

	mu             sync.Mutex
	id             string
	active         map[trowel.TryID]context.CancelCauseFunc // tries that are not reported yet
	queue          []*try                                   // those of active that no goroutine has begun
	starting       int                                      // those of active that are still starting
	draining       bool                                     // takes no more tasks, for good
	drainRequested bool                                     // takes no more tasks until SetDrained says so
	notKept        sync.Once                                // tells of limits that are not kept
	room           room
	running        sync.WaitGroup
}

// New returns an Agent. When ctx ends, its tasks end with ctx's cause.
func New(ctx context.Context, opts Options) *Agent {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	a := &Agent{opts: opts, id: opts.ID, active: map[trowel.TryID]context.CancelCauseFunc{}}
	a.ctx, a.stop = context.WithCancelCause(ctx)
	a.room.ctx, a.room.end = context.WithCancel(a.ctx)
	return a
}

// ID implements queue.Agent.
func (a *Agent) ID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// Rebind implements queue.Holder. Tries under another id are killed with all their processes and given back.
func (a *Agent) Rebind(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == id {
		return
	}
	a.id, a.drainRequested = id, false
	for _, cancel := range a.active {
		cancel(ErrLost)
	}
}

// SuspendReason implements queue.Holder.
func (a *Agent) SuspendReason() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.room.missing
}

// Free implements queue.Agent.
func (a *Agent) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining || a.drainRequested || a.room.missing != "" {
		return 0
	}
	free := maxStarting - a.starting
	if a.opts.Slots > 0 {
		free = min(free, a.opts.Slots-len(a.active))
	}
	return max(free, 0)
}

// Serves implements queue.Agent.
func (a *Agent) Serves(n *trowel.Requirements) bool {
	row := trowel.Agent{Queues: a.opts.Queues, Labels: a.opts.Labels, Limits: a.opts.Limits}
	return a.opts.Anything || row.Serves(n)
}

// Allows implements queue.Agent.
func (a *Agent) Allows(n *trowel.Requirements) bool {
	row := trowel.Agent{Limits: a.opts.Limits}
	return row.Allows(n)
}

// Remote implements queue.Agent: it is in this process.
func (*Agent) Remote() bool { return false }

// Assign implements queue.Agent. Tries that come after Drain, or after the lease was lost, are given back.
func (a *Agent) Assign(leases []*trowel.Lease) {
	var tries []*try
	var late []*trowel.Lease
	a.mu.Lock()
	for _, lease := range leases {
		if a.draining || lease.AgentID != a.id {
			late = append(late, lease)
			continue
		}
		ctx, cancel := context.WithCancelCause(a.ctx)
		if lease.Cancel {
			cancel = unlessKilled(cancel)
		}
		a.active[lease.ID()] = cancel
		tries = append(tries, &try{agent: a, lease: lease, ctx: ctx})
	}
	a.starting += len(tries)
	a.running.Add(len(tries)) // under the mutex, so that Wait after Drain waits for all of these
	a.queue = append(a.queue, tries...)
	a.mu.Unlock()
	for range tries {
		go a.work()
	}
	for _, lease := range late {
		a.opts.Report(trowel.Report{
			TaskID: lease.TaskID, AttemptID: lease.AttemptID, Try: lease.Try, Outcome: trowel.OutcomeReleased,
		})
	}
}

// work runs queued tries until there are none. There is a goroutine for each try, so none waits for the end of
// another. But those of quick tasks are run by the goroutines that happen to be first: a stack that is large enough
// for a task is made once for many of them.
func (a *Agent) work() {
	for t := a.dequeue(); t != nil; t = a.dequeue() {
		t.run()
		a.running.Done()
	}
}

// dequeue returns the next try to run; nil if there is none.
func (a *Agent) dequeue() *try {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		a.queue = nil
		return nil
	}
	t := a.queue[0]
	a.queue[0] = nil
	a.queue = a.queue[1:]
	return t
}

// Cancel implements queue.Agent.
func (a *Agent) Cancel(tries []trowel.TryID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range tries {
		if cancel := a.active[id]; cancel != nil {
			cancel(ErrKilled)
		}
	}
}

// Lose ends tries at once, with all their processes, because the agent has lost them. They are reported nevertheless.
func (a *Agent) Lose(tries []trowel.TryID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range tries {
		if cancel := a.active[id]; cancel != nil {
			cancel(ErrLost)
		}
	}
}

// Drain makes the agent take no more tasks; those that run go on. It is the first step of an orderly stop (language X61).
func (a *Agent) Drain() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draining = true
	a.room.end()
}

// SetDrained tells the agent, if it has that id, to take no more tasks, or to resume. A new id is not drained.
func (a *Agent) SetDrained(id string, drained bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == id {
		a.drainRequested = drained
	}
}

// Running returns how many tries are not reported yet.
func (a *Agent) Running() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.active)
}

// Stop takes no more tasks and ends the running ones: they are given back, to run again.
func (a *Agent) Stop() {
	a.Drain()
	a.stop(ErrStopped)
}

// Wait returns when no task is running. Call it after Drain or Stop, so that no task can follow.
func (a *Agent) Wait() { a.running.Wait() }

// started notes that a task no longer counts as starting.
func (a *Agent) started() {
	a.mu.Lock()
	a.starting--
	a.mu.Unlock()
	a.opts.Wake()
}

// ended reports a try and frees its slot in one step, so whoever sees the free slot finds the report too. started says
// whether the try had started.
func (a *Agent) ended(r *trowel.Report, started bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !started {
		a.starting--
	}
	if cancel := a.active[r.ID()]; cancel != nil {
		cancel(nil)
		delete(a.active, r.ID())
	}
	a.opts.Report(*r)
}
