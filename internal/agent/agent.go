package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Causes with which the context of a task ends.
var (
	// ErrKilled says that the attempt was killed.
	ErrKilled = errors.New("the attempt was killed")
	// ErrStopped says that the agent was stopped.
	ErrStopped = errors.New("stopped")
)

// Evaluator evaluates templates; package template has it.
type Evaluator interface {
	Config(ctx context.Context, scope, local *param.Map, zone *time.Location) (*param.Map, error)
}

// Hook sees each task before its operator and may stand in for it. Its methods are called
// concurrently.
type Hook interface {
	// Before is asked before a task is evaluated. If done, its result is that of the task.
	Before(lease *trowel.Lease) (result trowel.Result, done bool)
	// Instead is asked when the configuration is evaluated and the operator is known to run.
	Instead(lease *trowel.Lease, config *param.Map) (result trowel.Result, done bool)
}

// Log is where the output of a task and what is logged about it go. Log lines and output keep their
// order.
type Log struct {
	Output io.WriteCloser
	Logger *slog.Logger
}

// Options are what an Agent works with. Everything without a remark is required.
type Options struct {
	ID        string
	Slots     int // tasks at a time; 0 for any number
	Operators operator.Table
	Templates Evaluator
	Commands  command.Executor
	Secrets   secret.Finder
	Sessions  operator.Sessions
	Notifier  operator.Notifier // may be nil
	Project   string            // absolute path of the project's folder
	TaskLimit int
	Now       func() time.Time
	// OpenLog opens the log of a try. It is closed at the end of the try, before the report.
	OpenLog func(lease *trowel.Lease) Log
	Hook    Hook // may be nil
	// Report takes the end of a try, Wake hears that there is room again. Neither blocks.
	Report func(trowel.Report)
	Wake   func()
}

// starting is how many tasks may be between their claim and their start. A task that has started a
// process or waits for something else no longer counts, so any number of tasks can run, but a
// hundred thousand ready ones do not become as many goroutines at once.
const starting = 256

// Agent runs tasks in this process, each in a goroutine. It implements queue.Agent.
type Agent struct {
	opts Options
	ctx  context.Context //nolint:containedctx // ends all tasks; canceled by Stop
	stop context.CancelCauseFunc

	mu      sync.Mutex
	active  int                                       // tasks given and not yet reported
	unready int                                       // those of them that are still starting
	cancels map[trowel.TaskID]context.CancelCauseFunc // of active tasks
	stopped bool
	running sync.WaitGroup
}

// New returns an Agent whose tasks end when ctx does, with ctx's cause.
func New(ctx context.Context, opts Options) *Agent {
	a := &Agent{opts: opts, cancels: map[trowel.TaskID]context.CancelCauseFunc{}}
	a.ctx, a.stop = context.WithCancelCause(ctx)
	return a
}

// ID implements queue.Agent.
func (a *Agent) ID() string { return a.opts.ID }

// Free implements queue.Agent.
func (a *Agent) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return 0
	}
	free := starting - a.unready
	if a.opts.Slots > 0 {
		free = min(free, a.opts.Slots-a.active)
	}
	return max(free, 0)
}

// Give implements queue.Agent.
func (a *Agent) Give(leases []*trowel.Lease) {
	a.mu.Lock()
	if a.stopped {
		a.mu.Unlock()
		a.handBack(leases)
		return
	}
	a.active += len(leases)
	a.unready += len(leases)
	tries := make([]*try, len(leases))
	for i, lease := range leases {
		ctx, cancel := context.WithCancelCause(a.ctx)
		a.cancels[lease.TaskID] = cancel
		tries[i] = &try{agent: a, lease: lease, ctx: ctx}
	}
	a.running.Add(len(tries)) // under the lock, so that Wait after Stop knows of all that was taken
	a.mu.Unlock()
	for _, t := range tries {
		go func() {
			defer a.running.Done()
			t.run()
		}()
	}
}

// handBack asks for another run of tasks that came too late to be begun.
func (a *Agent) handBack(leases []*trowel.Lease) {
	for _, lease := range leases {
		a.opts.Report(trowel.Report{
			TaskID: lease.TaskID, AttemptID: lease.AttemptID, Try: lease.Try,
			Outcome: trowel.OutcomePoll, StateParams: lease.StateParams,
		})
	}
}

// Cancel implements queue.Agent.
func (a *Agent) Cancel(tasks []trowel.TaskID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range tasks {
		if cancel := a.cancels[id]; cancel != nil {
			cancel(ErrKilled)
		}
	}
}

// Stop takes no more tasks and ends those that run. They are reported all the same.
func (a *Agent) Stop() {
	a.mu.Lock()
	a.stopped = true
	a.mu.Unlock()
	a.stop(ErrStopped)
}

// Wait returns when no task is running. It is for after Stop, when none can follow.
func (a *Agent) Wait() { a.running.Wait() }

// started says that a task no longer counts as starting.
func (a *Agent) started() {
	a.mu.Lock()
	a.unready--
	a.mu.Unlock()
	a.opts.Wake()
}

// ended says that a task is over, whether it had started or not.
func (a *Agent) ended(id trowel.TaskID, started bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active--
	if !started {
		a.unready--
	}
	if cancel := a.cancels[id]; cancel != nil {
		cancel(nil)
		delete(a.cancels, id)
	}
}
