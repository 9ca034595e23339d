package trowtest

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// Fixture is a store with a project p that has one workflow w, and a flusher with an agent.
type Fixture struct {
	*Flusher
	Store   trowel.Store          // as it is without what Options.Flusher puts around it
	Context trowel.AttemptContext // of the attempts that Begin begins
	Agent   *Agent                // nil if Options.Agent is of another type

	tb testing.TB
}

// Options say how a Fixture differs from the usual one.
type Options struct {
	// Store is empty. If it is nil, there is a new one in memory.
	Store trowel.Store
	// Agent is the agent of the flusher. If it is nil, there is one with 256 slots, whose tries succeed.
	Agent queue.Agent
	// Pools are stored before the flusher begins.
	Pools []*trowel.Pool
	// Flusher, if it is set, changes the options of the flusher, or has it see the store as something else.
	Flusher func(o *flush.Options)
}

// New makes a fixture.
func New(tb testing.TB, opts Options) *Fixture {
	tb.Helper()
	f := &Fixture{Store: opts.Store, tb: tb}
	if f.Store == nil {
		f.Store = Store(tb)
	}
	if opts.Agent == nil {
		opts.Agent = &Agent{Name: "agent", Slots: 256}
	}
	f.Agent, _ = opts.Agent.(*Agent)
	Update(tb, f.Store, func(tx trowel.Tx) error {
		now := time.Now()
		for _, p := range opts.Pools {
			p.CreatedAt, p.UpdatedAt = now, now
			if err := tx.InsertPool(tb.Context(), p); err != nil {
				return err
			}
		}
		return nil
	})
	f.Context = Push(tb, f.Store, "p", map[string]string{"w": "{}"}).Context("w")
	o := flush.Options{Store: f.Store, Agent: opts.Agent}
	if opts.Flusher != nil {
		opts.Flusher(&o)
	}
	f.Flusher = RunFlusher(tb, o)
	return f
}

// Request asks for an attempt that runs the tasks of a body.
func (f *Fixture) Request(body *param.Map) flush.Start {
	f.tb.Helper()
	return Request(f.tb, f.Context, body)
}

// Request asks for an attempt that runs the tasks of a body.
func Request(tb testing.TB, c trowel.AttemptContext, body *param.Map) flush.Start {
	tb.Helper()
	tasks, err := dig.Compile("", "+"+c.Workflow.Name, body)
	if err != nil {
		tb.Fatal(err)
	}
	return flush.Start{Context: c, Tasks: tasks, Attempt: trowel.Attempt{
		WorkflowID: c.Workflow.ID, Zone: c.Workflow.Zone, Cause: "test", Actor: "test",
	}}
}

// Begin begins an attempt that runs the tasks of a body. Its session is later than SessionTime by after: there is one
// attempt for each session.
func (f *Fixture) Begin(after time.Duration, body *param.Map) *flush.Started {
	f.tb.Helper()
	r := f.Request(body)
	r.Context.Session.Time = r.Context.Session.Time.Add(after)
	started, err := f.Start(f.tb.Context(), r)
	if err != nil {
		f.tb.Fatal(err)
	}
	return started
}

// Tasks returns the tasks of an attempt that has not ended.
func (f *Fixture) Tasks(id trowel.AttemptID) (rows []*trowel.Task) {
	f.tb.Helper()
	View(f.tb, f.Store, func(tx trowel.Tx) (err error) {
		rows, err = tx.ListTasks(f.tb.Context(), id, -1)
		return err
	})
	return rows
}

// Archived returns the tasks of an attempt that has ended.
func (f *Fixture) Archived(id trowel.AttemptID) (rows []*trowel.Task) {
	f.tb.Helper()
	View(f.tb, f.Store, func(tx trowel.Tx) (err error) {
		rows, err = tx.ListArchivedTasks(f.tb.Context(), id)
		return err
	})
	return rows
}
