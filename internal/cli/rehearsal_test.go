package cli

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

// rehearsal drives a display through a run: the engine says what happens to the tasks, the test what
// operators do and when.
type rehearsal struct {
	t     *testing.T
	show  func(*flush.Batch)
	begun time.Time
	now   time.Time
	image *engine.Image
	tasks []dig.Task
	last  trowel.TaskID
}

// Next implements engine.IDs.
func (r *rehearsal) Next(after trowel.TaskID) trowel.TaskID {
	r.last = max(r.last, after) + 1
	return r.last
}

// rehearse compiles the body of a workflow +w.
func rehearse(t *testing.T, body string) *rehearsal {
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
	return &rehearsal{t: t, begun: begun, now: begun, tasks: tasks}
}

// start begins the attempt.
func (r *rehearsal) start() {
	r.t.Helper()
	attempt := trowel.Attempt{ID: 1, Zone: "UTC", Params: param.New()}
	setting := &trowel.Setting{Session: trowel.Session{Time: r.begun}}
	image, applied, err := engine.Start(attempt, setting, engine.Begin{Tasks: r.tasks}, r.now, r, engine.Limits{Tasks: 1_000_000})
	if err != nil {
		r.t.Fatal(err)
	}
	r.image = image
	r.commit(applied)
}

func (r *rehearsal) commit(applied engine.Applied) {
	r.show(&flush.Batch{At: r.now, Changes: applied.Changes, Tries: applied.Tries})
}

// after lets time go by.
func (r *rehearsal) after(d time.Duration) { r.now = r.now.Add(d) }

// find returns the newest task of a name.
func (r *rehearsal) find(name string) *trowel.Task {
	r.t.Helper()
	for id := r.last; id > 0; id-- {
		if row := r.image.Find(id); row != nil && row.FullName == name {
			return row
		}
	}
	r.t.Fatalf("there is no task %s", name)
	return nil
}

func (r *rehearsal) apply(ev engine.Event) {
	r.commit(r.image.Apply(ev, r.now, r, engine.Limits{Tasks: 1_000_000}))
}

// claim begins tries of tasks.
func (r *rehearsal) claim(names ...string) {
	r.t.Helper()
	for _, name := range names {
		r.apply(engine.Claim{Task: r.find(name).ID, Agent: "local"})
	}
}

// lease is the right to the present try of a task.
func (r *rehearsal) lease(name string) *trowel.Lease {
	r.t.Helper()
	return r.image.Lease(r.find(name).ID)
}

func (r *rehearsal) report(name string, report trowel.Report) {
	r.t.Helper()
	row := r.find(name)
	report.TaskID, report.AttemptID, report.Try = row.ID, 1, row.Try
	r.apply(engine.Report{Report: report})
}

// succeed ends tries of tasks well.
func (r *rehearsal) succeed(names ...string) {
	r.t.Helper()
	for _, name := range names {
		r.report(name, trowel.Report{Outcome: trowel.OutcomeSuccess})
	}
}

// generate ends a try with tasks to run below.
func (r *rehearsal) generate(name, body string) {
	r.t.Helper()
	config, err := dig.ReadYAML([]byte(body))
	if err != nil {
		r.t.Fatal(err)
	}
	r.report(name, trowel.Report{Outcome: trowel.OutcomeSuccess, Result: trowel.Result{Subtasks: config}})
}

// fail ends tries of tasks with an error.
func (r *rehearsal) fail(message string, names ...string) {
	r.t.Helper()
	for _, name := range names {
		r.report(name, trowel.Report{Outcome: trowel.OutcomeFailure, Error: trowel.ErrorObject(message, "runtime")})
	}
}

// again ends a try that will be followed by another, after a failure or to look again.
func (r *rehearsal) again(name string, outcome trowel.Outcome, in time.Duration) {
	r.t.Helper()
	r.report(name, trowel.Report{Outcome: outcome, RetryIn: in, StateParams: param.New()})
}

// due wakes a waiting task at its instant.
func (r *rehearsal) due(name string) {
	r.t.Helper()
	row := r.find(name)
	r.now = row.RetryAt
	r.apply(engine.Due{Task: row.ID})
}
