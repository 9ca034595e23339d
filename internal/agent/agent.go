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

// Causes with which the context of a task ends.
var (
	// ErrKilled says that the attempt was killed.
	ErrKilled = errors.New("the attempt was killed")
	// ErrStopped says that the agent was stopped.
	ErrStopped = errors.New("stopped")
	// ErrLost says that the agent lost its lease: another one may run the task by now, so it ends at
	// once.
	ErrLost = fmt.Errorf("the lease is lost: %w", command.ErrKill)
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
	// Instead is asked when the configuration is evaluated and the operator is known that would run.
	Instead(lease *trowel.Lease, selection operator.Selection) (result trowel.Result, done bool)
}

// Log is where the output of a task and what is logged about it go. Log lines and output keep their
// order.
type Log struct {
	Output io.WriteCloser
	Logger *slog.Logger
	// Rest returns what of the log is not stored yet, for the report. It is called after Output was
	// closed; nil if logs are kept elsewhere.
	Rest func() []trowel.LogChunk
}

// Options are what an Agent works with. Everything without a remark is required.
type Options struct {
	ID        string   // until Hold gives another one
	Slots     int      // tasks at a time; 0 for any number
	Queues    []string // that it serves; none for the default one
	Labels    []string
	Anything  bool // serves all queues and labels, as the only agent of a local run does
	Operators operator.Table
	Templates Evaluator
	Commands  command.Executor
	// Secrets finds the secrets of a try.
	Secrets  func(lease *trowel.Lease) secret.Finder
	Sessions operator.Sessions
	Notifier operator.Notifier // may be nil
	// Project is the absolute path of the folder in which all tries work; empty if each has a copy of
	// its revision's files, from Workspaces.
	Project    string
	Workspaces *archive.Workspaces
	TaskLimit  int
	Now        func() time.Time
	// OpenLog opens the log of a try. It is closed at the end of the try, before the report.
	OpenLog func(lease *trowel.Lease) Log
	Hook    Hook // may be nil
	// Report takes the end of a try, Wake hears that there is room again. Neither blocks, and Report asks the
	// agent nothing.
	Report func(trowel.Report)
	Wake   func()
	// Pause hears why the agent takes nothing new for a while, and "" when it goes on. It does not block, asks
	// the agent nothing, and hears of a pause before Report has the try that led to it; nil is not called.
	Pause func(reason string)
	// Advice says what can be done about a failure, in a line for the log of the try; "" if it does not know.
	// nil is not called.
	Advice func(lease *trowel.Lease, err error) string
	Log    *slog.Logger // of the agent, not of a try; nil for none
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
	id      string
	active  map[trowel.TryID]context.CancelCauseFunc // tries that were given and are not yet reported
	unready int                                      // those of them that are still starting
	resting bool                                     // takes nothing new
	drained bool                                     // the same, until it is told to go on
	room    room
	running sync.WaitGroup
}

// New returns an Agent whose tasks end when ctx does, with ctx's cause.
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

// Hold implements queue.Holder: tries under another id are killed, with all their processes, and
// given back.
func (a *Agent) Hold(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == id {
		return
	}
	a.id, a.drained = id, false
	for _, cancel := range a.active {
		cancel(ErrLost)
	}
}

// RestReason implements queue.Holder.
func (a *Agent) RestReason() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.room.missing
}

// Free implements queue.Agent.
func (a *Agent) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.resting || a.drained || a.room.missing != "" {
		return 0
	}
	free := starting - a.unready
	if a.opts.Slots > 0 {
		free = min(free, a.opts.Slots-len(a.active))
	}
	return max(free, 0)
}

// Serves implements queue.Agent.
func (a *Agent) Serves(n *trowel.Needs) bool {
	row := trowel.Agent{Queues: a.opts.Queues, Labels: a.opts.Labels}
	return a.opts.Anything || row.Serves(n)
}

// Remote implements queue.Agent: it is in this process.
func (*Agent) Remote() bool { return false }

// Give implements queue.Agent. What comes too late, after the agent rests or has lost the lease, is
// given back.
func (a *Agent) Give(leases []*trowel.Lease) {
	var tries []*try
	var late []*trowel.Lease
	a.mu.Lock()
	for _, lease := range leases {
		if a.resting || lease.AgentID != a.id {
			late = append(late, lease)
			continue
		}
		ctx, cancel := context.WithCancelCause(a.ctx)
		a.active[lease.ID()] = cancel
		tries = append(tries, &try{agent: a, lease: lease, ctx: ctx})
	}
	a.unready += len(tries)
	a.running.Add(len(tries)) // under the lock, so that Wait after Rest knows of all that was taken
	a.mu.Unlock()
	for _, t := range tries {
		go func() {
			defer a.running.Done()
			t.run()
		}()
	}
	for _, lease := range late {
		a.opts.Report(trowel.Report{
			TaskID: lease.TaskID, AttemptID: lease.AttemptID, Try: lease.Try, Outcome: trowel.OutcomeReleased,
		})
	}
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

// Lose ends tries at once, with all their processes: they are not the agent's any more. They are reported
// all the same.
func (a *Agent) Lose(tries []trowel.TryID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range tries {
		if cancel := a.active[id]; cancel != nil {
			cancel(ErrLost)
		}
	}
}

// Rest takes no more tasks; those that run go on. It is the first step of an orderly stop (language
// X61).
func (a *Agent) Rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.resting = true
	a.room.end()
}

// SetDrained tells the agent of that id to take no more tasks, or to go on. It does not outlive the id.
func (a *Agent) SetDrained(id string, drained bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == id {
		a.drained = drained
	}
}

// Running returns how many tries are under way.
func (a *Agent) Running() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.active)
}

// Stop takes no more tasks and ends those that run: they are given back, to be run anew.
func (a *Agent) Stop() {
	a.Rest()
	a.stop(ErrStopped)
}

// Wait returns when no task is running. It is for after Rest or Stop, when none can follow.
func (a *Agent) Wait() { a.running.Wait() }

// started says that a task no longer counts as starting.
func (a *Agent) started() {
	a.mu.Lock()
	a.unready--
	a.mu.Unlock()
	a.opts.Wake()
}

// ended gives the slot of a try back, whether it had started or not, in one with its report: whoever sees the slot
// finds the report.
func (a *Agent) ended(r *trowel.Report, started bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !started {
		a.unready--
	}
	if cancel := a.active[r.ID()]; cancel != nil {
		cancel(nil)
		delete(a.active, r.ID())
	}
	a.opts.Report(*r)
}
