package view_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

var (
	sessions = flag.Int("view.attempts", 3, "how many attempts each workflow of TestOverviewScale has")
	flows    = flag.Int("view.workflows", 100, "how many workflows TestOverviewScale has")
)

// Answers over all workflows are fast however many there are. With -view.workflows=10000 -view.attempts=101 and -v the test tells how
// fast: there are a million attempts then, of which 2,000 run.
func TestOverviewScale(t *testing.T) {
	t.Parallel()
	servertest.OnDatabases(t, func(t *testing.T, h *servertest.Server, db trowel.Store) {
		t.Helper()
		for first := 0; first < *flows; first += 100 {
			seedProject(t, db, first)
		}
		for _, path := range []string{"/api/overview", "/api/failures", "/api/late", "/api/upcoming?limit=500", "/api/attempts/7/summary", "/api/attempts/7/tree", "/api/search", "/api/search?q=w", "/api/search?q=p1+w7", "/api/search?q=nothing+of+it", "/api/search?q=77", "/api/search?q=" + time.Now().UTC().Format("2006-01-02"), "/api/search?q=w7+" + time.Now().UTC().Format("2006-01-02")} {
			var times []time.Duration
			for range 30 {
				start := time.Now()
				if a := h.Get(t, path); a.Status != 200 {
					t.Fatal(a.Status, a.Body)
				}
				times = append(times, time.Since(start))
			}
			first := times[0]
			slices.Sort(times)
			t.Logf("%-30s first %8s p50 %8s p95 %8s", path, first.Round(10*time.Microsecond), times[15].Round(10*time.Microsecond), times[28].Round(10*time.Microsecond))
		}
	})
}

// seedProject stores a project with 100 scheduled workflows. One in 500 attempts runs, one in 50 of the others failed.
func seedProject(t *testing.T, db trowel.Store, number int) {
	t.Helper()
	now := time.Now()
	trowtest.Update(t, db, func(tx trowel.Tx) error {
		p := &trowel.Project{Name: fmt.Sprint("p", number), CreatedAt: now}
		var ws []*trowel.Workflow
		for j := range 100 {
			schedule := param.Of("hourly>", fmt.Sprintf("%02d:00", j%60))
			ws = append(ws, &trowel.Workflow{Name: fmt.Sprint("w", j), Zone: "UTC", Definition: param.Of("schedule", schedule, "n", j, "+a", param.Of("echo>", "x"))})
		}
		if err := tx.InsertRevision(t.Context(), p, &trowel.Revision{Name: "r", CreatedAt: now}, ws); err != nil {
			return err
		}
		for j, w := range ws {
			at := now.Truncate(time.Hour).Add(time.Hour + time.Duration(j%60)*time.Minute)
			s := &trowel.Schedule{ProjectID: p.ID, Workflow: w.Name, WorkflowID: w.ID, NextRunAt: at, NextSessionAt: at, CreatedAt: now, UpdatedAt: now}
			if err := tx.InsertSchedule(t.Context(), s); err != nil {
				return err
			}
			for k := range *sessions {
				if err := seedAttempt(t, tx, w, p.ID, now.Add(-time.Duration(k)*time.Hour), (number+j)**sessions+k+1); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func seedAttempt(t *testing.T, tx trowel.Tx, w *trowel.Workflow, project trowel.ProjectID, made time.Time, n int) error {
	t.Helper()
	a := &trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", Cause: "schedule", Actor: "s", CreatedAt: made, Version: 1}
	if err := tx.InsertAttempt(t.Context(), &trowel.Session{ProjectID: project, Workflow: w.Name, Time: made, UUID: "u"}, a); err != nil {
		return err
	}
	if n%500 == 0 {
		return seedTasks(t, tx, a)
	}
	a.Flags, a.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, made.Add(time.Minute)
	if n%50 == 0 {
		a.Flags = trowel.AttemptDone
		cause, _ := trowel.CauseOf("sh", fmt.Sprint("fails ", string(rune('a'+n/50%26))))
		f := trowel.Failure{
			At: made, AttemptID: a.ID, ProjectID: project, Workflow: w.Name, Cause: cause, Operator: "sh", Message: "fails", TaskID: 1, TaskName: "+w", Try: 1, Tasks: 1,
		}
		if err := tx.InsertFailures(t.Context(), []trowel.Failure{f}); err != nil {
			return err
		}
	}
	return tx.UpdateAttempts(t.Context(), a)
}

// seedTasks stores 99 ready tasks in a group.
func seedTasks(t *testing.T, tx trowel.Tx, a *trowel.Attempt) error {
	t.Helper()
	var tasks []*trowel.Task
	first := trowel.TaskID(a.ID) * 1000
	for i := range 100 {
		task := &trowel.Task{
			ID: first + trowel.TaskID(i), AttemptID: a.ID, ParentID: first, FullName: fmt.Sprint("+w+", i), State: trowel.TaskReady, ReadyAt: a.CreatedAt,
			UpdatedAt: a.CreatedAt, Local: param.Of("echo>", i),
		}
		if i == 0 {
			task.ParentID, task.Group, task.State = 0, true, trowel.TaskPlanned
		}
		tasks = append(tasks, task)
	}
	return tx.InsertTasks(t.Context(), tasks)
}
