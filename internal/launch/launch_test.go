package launch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// now is when all requests of these tests are made.
func now() time.Time { return time.Date(2024, 1, 15, 9, 30, 0, 0, time.UTC) }

// fixture is a store with a project, and a launcher around it.
type fixture struct {
	store    trowel.Store
	flusher  *trowtest.Inserter
	launcher *launch.Launcher
	project  *trowtest.Project
}

// open stores a project with workflows in Tokyo.
func open(t *testing.T, workflows map[string]string) *fixture {
	t.Helper()
	db := trowtest.Store(t)
	f := &fixture{store: db, flusher: &trowtest.Inserter{Store: db, Now: now}, project: trowtest.NewProject(t, "p", workflows).In("Asia/Tokyo")}
	f.launcher = &launch.Launcher{Store: db, Flusher: f.flusher, Now: now}
	trowtest.Update(t, db, func(tx trowel.Tx) error { return f.project.Insert(t.Context(), tx) })
	return f
}

func (f *fixture) start(t *testing.T, workflow string, change func(*launch.Request)) (*trowel.AttemptSummary, error) {
	t.Helper()
	r := launch.Request{
		WorkflowID: f.project.Workflows[workflow].ID, SessionTime: time.Date(2024, 1, 15, 0, 0, 0, 5e8, time.UTC),
		Cause: launch.CauseStart, Actor: "somebody",
	}
	if change != nil {
		change(&r)
	}
	return f.launcher.Start(t.Context(), r)
}

// TestSessionParams checks A8 and P14: the times of the schedule stand over those of the request, in
// the workflow's zone, and the session time has whole seconds.
func TestSessionParams(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{
		"plain": `{"+a": {"echo>": "hi"}}`,
		"daily": `{"schedule": {"daily>": "10:00:00"}, "+a": {"echo>": "hi"}}`,
	})
	tests := []struct {
		workflow, want string
	}{
		{"plain", `{"x":1,"next_session_time":"mine"}`},
		{"daily", `{"x":1,"next_session_time":"2024-01-16T00:00:00+09:00","last_session_time":"2024-01-15T00:00:00+09:00"}`},
	}
	for _, test := range tests {
		got, err := f.start(t, test.workflow, func(r *launch.Request) { r.Params = param.Of("x", 1, "next_session_time", "mine") })
		if err != nil {
			t.Fatal(err)
		}
		want, _ := param.ParseMap(test.want)
		if !param.Equal(got.Attempt.Params, want) {
			t.Errorf("Start(%s): params = %s, want %s", test.workflow, param.JSON(got.Attempt.Params), test.want)
		}
		if want := time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC); !got.Session.Time.Equal(want) {
			t.Errorf("Start(%s): session time = %v, want %v", test.workflow, got.Session.Time, want)
		}
	}
}

// TestTaken checks A3: the error about a taken name has the attempt of that name, or the newest attempt of
// the session for an unnamed request.
func TestTaken(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{"w": `{"+a": {"echo>": "hi"}}`})
	ids := map[string]trowel.AttemptID{}
	for _, name := range []string{"", "one", "two"} {
		begun, err := f.start(t, "w", func(r *launch.Request) { r.RetryName = name })
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = begun.Attempt.ID
	}
	for name, want := range map[string]trowel.AttemptID{"": ids["two"], "one": ids["one"], "two": ids["two"]} {
		_, err := f.start(t, "w", func(r *launch.Request) { r.RetryName = name })
		taken, ok := errors.AsType[*launch.TakenError](err)
		if !ok || !errors.Is(err, trowel.ErrConflict) || taken.Existing.Attempt.ID != want {
			t.Errorf("Start named %q again: error %v, want TakenError with attempt %d", name, err, want)
		}
	}
}

// TestRefusals checks the texts of server 2.5 and language S43.
func TestRefusals(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 256)
	f := open(t, map[string]string{
		"w":        `{"+a": {"echo>": "hi"}}`,
		"exports":  `{"+a": {"_export": 1, "echo>": "hi"}}`,
		"word":     `{"sla": {"time": "soon"}, "+a": {"echo>": "hi"}}`,
		"parts":    `{"sla": {"duration": "1:2:3:4"}, "+a": {"echo>": "hi"}}`,
		"text":     `{"sla": "soon", "+a": {"echo>": "hi"}}`,
		"schedule": `{"schedule": {"daily>": "soon"}, "+a": {"echo>": "hi"}}`,
	})
	tests := []struct {
		workflow string
		change   func(*launch.Request)
		kind     error
		want     string
	}{
		{"w", func(r *launch.Request) { r.WorkflowID = 99 }, trowel.ErrNotFound, "Resource does not exist: workflow id=99"},
		{
			"w", func(r *launch.Request) { r.RetryName = long }, trowel.ErrInvalid,
			"Validating attempt request failed\nretry attempt name must not be longer than 255 characters: \"" + long + "\"",
		},
		{"w", func(r *launch.Request) { r.Resume = &launch.Resume{Attempt: 99, Mode: "failed"} }, trowel.ErrNotFound, "Resource does not exist: session attempt id=99"},
		{"w", func(r *launch.Request) { r.Resume = &launch.Resume{Attempt: 99, Mode: "other"} }, trowel.ErrInvalid, "Unknown resume mode: other"},
		{"w", func(r *launch.Request) { r.Resume = &launch.Resume{Attempt: 99, Mode: "from"} }, trowel.ErrInvalid, "from is required to resume from a task"},
		{"exports", nil, trowel.ErrInvalid, "Parameter '_export' must be an object"},
		{"word", nil, trowel.ErrInvalid, "SLA time option needs to be HH:MM or HH:MM:SS format: Optional.of(soon)"},
		{"parts", nil, trowel.ErrInvalid, "SLA duration option needs to be HH:MM or HH:MM:SS format: Optional.absent()"},
		{"text", nil, trowel.ErrInvalid, "Parameter 'sla' must be an object"},
		{"schedule", nil, trowel.ErrInvalid, "daily> scheduler requires hh:mm:ss format: soon"},
	}
	for _, test := range tests {
		_, err := f.start(t, test.workflow, test.change)
		if err == nil || !errors.Is(err, test.kind) || err.Error() != test.want {
			t.Errorf("Start(%s): error = %v, want %q (%v)", test.workflow, err, test.want, test.kind)
		}
	}
}

// TestDeletedProject checks A5 with the text of server 2.6.7.
func TestDeletedProject(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{"w": `{"+a": {"echo>": "hi"}}`})
	trowtest.Update(t, f.store, func(tx trowel.Tx) error { return tx.DeleteProject(t.Context(), f.project.ID, now()) })
	_, err := f.start(t, "w", nil)
	if !errors.Is(err, trowel.ErrNotFound) || err.Error() != "Project id={} name={} is already deleted" {
		t.Errorf("Start in a deleted project: error = %v", err)
	}
}

// TestMonitor checks S44 for a request at 18:30 in Tokyo.
func TestMonitor(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{
		"duration": `{"sla": {"duration": "00:30"}, "+a": {"echo>": "hi"}}`,
		"later":    `{"sla": {"time": "19:00:10"}, "+a": {"echo>": "hi"}}`,
		"tomorrow": `{"sla": {"time": "18:00"}, "+a": {"echo>": "hi"}}`,
		"none":     `{"+a": {"echo>": "hi"}}`,
	})
	for workflow, want := range map[string]time.Time{
		"duration": now().Add(30 * time.Minute),
		"later":    now().Add(30*time.Minute + 10*time.Second),
		"tomorrow": now().Add(23*time.Hour + 30*time.Minute),
	} {
		if _, err := f.start(t, workflow, nil); err != nil {
			t.Fatal(err)
		}
		if m := f.flusher.Last().SLATimer; m == nil || !m.DueAt.Equal(want) {
			t.Errorf("Start(%s): monitor = %v, want due at %v", workflow, m, want)
		}
	}
	if _, err := f.start(t, "none", nil); err != nil || f.flusher.Last().SLATimer != nil {
		t.Errorf("Start(none): monitor = %v, %v, want none", f.flusher.Last().SLATimer, err)
	}
}

// TestResume checks that the tasks of the source are found, live or archived (X65).
func TestResume(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{"w": `{"+a": {"echo>": "hi"}, "+b": {"fail>": "no"}}`})
	source, err := f.start(t, "w", nil)
	if err != nil {
		t.Fatal(err)
	}
	id := source.Attempt.ID
	rows := []*trowel.Task{
		{ID: 1, AttemptID: id, FullName: "+w", Group: true, State: trowel.TaskGroupError},
		{ID: 2, AttemptID: id, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess},
		{ID: 3, AttemptID: id, ParentID: 1, FullName: "+w+b", State: trowel.TaskError, Upstreams: []trowel.TaskID{2}},
	}
	change := func(mode, from, name string) func(*launch.Request) {
		return func(r *launch.Request) {
			r.RetryName, r.Resume = name, &launch.Resume{Attempt: id, Mode: mode, From: from}
		}
	}
	check := func(name string) {
		t.Helper()
		for _, mode := range []string{"failed", "from"} {
			if _, err := f.start(t, "w", change(mode, "+b", name+mode)); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, row := range f.flusher.Last().Resumed {
				names = append(names, row.FullName)
			}
			if diff := cmp.Diff([]string{"+w+a"}, names); diff != "" {
				t.Errorf("resumed %s %s (-want +got):\n%s", name, mode, diff)
			}
		}
	}
	trowtest.Update(t, f.store, func(tx trowel.Tx) error { return tx.InsertTasks(t.Context(), rows) })
	check("live")
	trowtest.Update(t, f.store, func(tx trowel.Tx) error {
		return tx.ArchiveTasks(t.Context(), now(), trowel.EndedTasks{AttemptID: id, Tasks: rows})
	})
	check("archived")
	_, err = f.start(t, "w", change("from", "+none", "x"))
	const want = "io.digdag.core.workflow.TaskMatchPattern$NoMatchException: Task pattern '+none' doesn't match with any tasks."
	if !errors.Is(err, trowel.ErrInvalid) || err.Error() != want {
		t.Errorf("Start from +none: error = %v, want %q", err, want)
	}
}

// TestResumeOfAnotherProject: results of another project cannot be taken over. In all modes its attempts are
// reported as missing.
func TestResumeOfAnotherProject(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{"w": `{"+a": {"echo>": "hi"}, "+b": {"fail>": "no"}}`})
	other := trowtest.Push(t, f.store, "q", map[string]string{"w": `{"+a": {"echo>": "hi"}, "+b": {"fail>": "no"}}`}).Workflows["w"]
	source, err := f.start(t, "w", func(r *launch.Request) { r.WorkflowID = other.ID })
	if err != nil {
		t.Fatal(err)
	}
	foreign := source.Attempt.ID
	stored := param.Of("key", "confidential")
	trowtest.Update(t, f.store, func(tx trowel.Tx) error {
		return tx.InsertTasks(t.Context(), []*trowel.Task{
			{ID: 1, AttemptID: foreign, FullName: "+w", Group: true, State: trowel.TaskGroupError},
			{ID: 2, AttemptID: foreign, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess, Result: trowel.Result{Store: stored}},
			{ID: 3, AttemptID: foreign, ParentID: 1, FullName: "+w+b", State: trowel.TaskError, Upstreams: []trowel.TaskID{2}},
		})
	})
	begun := f.flusher.Last()
	for _, mode := range []string{launch.ResumeFailed, launch.ResumeFrom} {
		for _, from := range []string{"+b", "+none"} {
			for _, id := range []trowel.AttemptID{foreign, 4711} {
				_, err := f.start(t, "w", func(r *launch.Request) {
					r.RetryName, r.Resume = "again", &launch.Resume{Attempt: id, Mode: mode, From: from}
				})
				want := fmt.Sprintf("Resource does not exist: session attempt id=%d", id)
				if !errors.Is(err, trowel.ErrNotFound) || err.Error() != want {
					t.Errorf("resume %s of attempt %d: error = %v, want %q", mode, id, err, want)
				}
			}
		}
	}
	if f.flusher.Last().Context.Session != begun.Context.Session {
		t.Errorf("an attempt was begun: %+v", f.flusher.Last().Attempt)
	}
}
