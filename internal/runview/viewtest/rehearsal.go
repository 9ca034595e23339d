package viewtest

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

// Rehearsal drives a view through a run. The engine decides what happens to tasks; the test says what
// operators do and when.
type Rehearsal struct {
	T     *testing.T
	Show  func(*flush.Batch) // gets the changes, as an observer of the flusher does
	Begun time.Time          // when the run began
	Now   time.Time
	image *engine.TaskTree
	Tasks []dig.Task
	last  trowel.TaskID
}

// Next implements engine.IDs.
func (r *Rehearsal) Next(after trowel.TaskID) trowel.TaskID {
	r.last = max(r.last, after) + 1
	return r.last
}

// Rehearse compiles the body of a workflow +w.
func Rehearse(t *testing.T, body string) *Rehearsal {
	t.Helper()
	config, err := dig.ReadYAML([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := dig.Compile("", "+w", config)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Rehearsal{T: t, Begun: begun, Now: begun, Tasks: tasks}
}

// Start begins the attempt.
func (r *Rehearsal) Start() {
	r.T.Helper()
	attempt := trowel.Attempt{ID: 1, Zone: "UTC", Params: param.New()}
	setting := &trowel.AttemptContext{Session: trowel.Session{Time: r.Begun}}
	image, applied, err := engine.Start(attempt, setting, engine.Begin{Tasks: r.Tasks}, r.Now, r, engine.Limits{Tasks: 1_000_000})
	if err != nil {
		r.T.Fatal(err)
	}
	r.image = image
	r.commit(applied)
}

func (r *Rehearsal) commit(applied engine.Applied) {
	r.Show(&flush.Batch{At: r.Now, Changes: applied.Changes, Tries: applied.Tries})
}

// After advances the time.
func (r *Rehearsal) After(d time.Duration) { r.Now = r.Now.Add(d) }

// Find returns the newest task with a name.
func (r *Rehearsal) Find(name string) *trowel.Task {
	r.T.Helper()
	for id := r.last; id > 0; id-- {
		if row := r.image.Find(id); row != nil && row.FullName == name {
			return row
		}
	}
	r.T.Fatalf("there is no task %s", name)
	return nil
}

// Apply applies one event to the attempt.
func (r *Rehearsal) Apply(ev engine.Event) {
	r.commit(r.image.Apply(ev, r.Now, r, engine.Limits{Tasks: 1_000_000}))
}

// Claim starts tries of tasks.
func (r *Rehearsal) Claim(names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.Apply(engine.Claim{Task: r.Find(name).ID, Agent: "local"})
	}
}

// Lease returns the lease of the current try of a task.
func (r *Rehearsal) Lease(name string) *trowel.Lease {
	r.T.Helper()
	return r.image.Lease(r.Find(name).ID)
}

func (r *Rehearsal) report(name string, report trowel.Report) {
	r.T.Helper()
	row := r.Find(name)
	report.TaskID, report.AttemptID, report.Try = row.ID, 1, row.Try
	r.Apply(engine.Report{Report: report})
}

// Succeed ends tries of tasks with success.
func (r *Rehearsal) Succeed(names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.report(name, trowel.Report{Outcome: trowel.OutcomeSuccess})
	}
}

// Generate ends a try that generates tasks.
func (r *Rehearsal) Generate(name, body string) {
	r.T.Helper()
	config, err := dig.ReadYAML([]byte(body))
	if err != nil {
		r.T.Fatal(err)
	}
	r.report(name, trowel.Report{Outcome: trowel.OutcomeSuccess, Result: trowel.Result{Subtasks: config}})
}

// Fail ends tries of tasks with an error.
func (r *Rehearsal) Fail(message string, names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.report(name, trowel.Report{Outcome: trowel.OutcomeFailure, Error: trowel.ErrorObject(message, "runtime")})
	}
}

// Again ends a try that another one follows, after a failure or for a poll.
func (r *Rehearsal) Again(name string, outcome trowel.Outcome, in time.Duration) {
	r.T.Helper()
	r.report(name, trowel.Report{Outcome: outcome, RetryIn: in, StateParams: param.New()})
}

// Due wakes a waiting task when it is due.
func (r *Rehearsal) Due(name string) {
	r.T.Helper()
	row := r.Find(name)
	r.Now = row.RetryAt
	r.Apply(engine.Due{Task: row.ID})
}
