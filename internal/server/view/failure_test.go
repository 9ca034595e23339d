package view_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// ended stores a failed or successful attempt of a new session, with a failed task unless the message is empty.
func ended(t *testing.T, h *servertest.Server, like trowel.AttemptID, at time.Time, message string) *trowel.Attempt {
	t.Helper()
	a := &trowel.Attempt{Zone: "UTC", Cause: "schedule", Actor: "scheduler", CreatedAt: at.Add(-time.Minute), FinishedAt: at, Flags: trowel.AttemptDone, Version: 3}
	trowtest.Update(t, h.Store, func(tx trowel.Tx) error {
		s, err := tx.FindAttemptSummary(t.Context(), like)
		if err != nil {
			return err
		}
		a.WorkflowID = s.Attempt.WorkflowID
		session := &trowel.Session{ProjectID: s.Project.ID, Workflow: "main", Time: at, UUID: "u"}
		if err := tx.InsertAttempt(t.Context(), session, a); err != nil {
			return err
		}
		root := &trowel.Task{ID: trowel.TaskID(a.ID) * 10_000, AttemptID: a.ID, FullName: "+main", Group: true, State: trowel.TaskSuccess, UpdatedAt: at}
		tasks := []*trowel.Task{root}
		if message == "" {
			a.Flags |= trowel.AttemptSuccess
		} else {
			failed := &trowel.Task{
				ID: root.ID + 1, AttemptID: a.ID, ParentID: root.ID, FullName: "+main+a", Local: param.Of("sh>", "x"), State: trowel.TaskError, Try: 1,
				Error: trowel.ErrorObject(message, "runtime"), StartedAt: at.Add(-20 * time.Second), ClaimedAt: at.Add(-20 * time.Second), UpdatedAt: at,
			}
			root.State = trowel.TaskGroupError
			tasks = append(tasks, failed)
			cause, kind := trowel.CauseOf("sh", message+" (runtime)")
			err = tx.InsertFailures(t.Context(), []trowel.Failure{{
				At: at, AttemptID: a.ID, ProjectID: s.Project.ID, Workflow: "main", Cause: cause, Operator: "sh", Kind: kind, Message: message + " (runtime)",
				TaskID: failed.ID, TaskName: failed.FullName, Try: 1, Tasks: 2,
			}})
			if err != nil {
				return err
			}
			try := trowel.Try{AttemptID: a.ID, TaskID: failed.ID, Number: 1, FullName: failed.FullName, EndedAt: at, Exit: trowel.ExitError, LastLines: []string{"<b>last</b>"}}
			if err := tx.InsertTries(t.Context(), []trowel.Try{try}); err != nil {
				return err
			}
		}
		if err := tx.UpdateAttempts(t.Context(), a); err != nil {
			return err
		}
		return tx.ArchiveTasks(t.Context(), at, trowel.EndedTasks{AttemptID: a.ID, Tasks: tasks})
	})
	return a
}

// failures writes all pages of a query in short.
func failures(t *testing.T, h *servertest.Server, query string, header ...string) (lines []string) {
	t.Helper()
	for cursor := ""; ; {
		page := servertest.Read[api.FailureList](t, h.Do(t, http.MethodGet, "/api/failures?limit=1&"+query+"&cursor="+url.QueryEscape(cursor), "", "", header...), 200)
		for i := range page.Items {
			f := &page.Items[i]
			line := fmt.Sprintf("%s %s: %d in %d", f.Sample.Project.Name, f.Message, f.Count, f.AttemptCount)
			if f.IsNew {
				line += ", new"
			}
			if f.Recovered {
				line += ", recovered"
			}
			lines = append(lines, line)
		}
		if page.Next == nil {
			return lines
		}
		cursor = *page.Next
	}
}

// Failures are grouped by cause (A7), with what is new and what has recovered.
func TestFailures(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	one, two := h.InsertTasks(t, "one"), h.InsertTasks(t, "two")
	now := time.Now().Truncate(time.Second)
	ended(t, h, one, now.Add(-100*time.Hour), "no host a1")
	ended(t, h, one, now.Add(-3*time.Hour), "no host b2")
	ended(t, h, two, now.Add(-2*time.Hour), "no host b3")
	again := ended(t, h, two, now.Add(-time.Hour), "disk full")
	old, fresh := "no host b# (runtime)", "disk full (runtime)"
	lines := func(want ...string) []string { return want }
	bearer := []string{"Authorization", "Bearer " + h.Token(t, access.RoleRead, "one")}
	for query, want := range map[string][]string{
		"":                       lines("two "+fresh+": 2 in 1, new", "two no host b3 (runtime): 4 in 2, new"),
		"project=one":            lines("one no host b2 (runtime): 2 in 1, new"),
		"project=two&workflow=x": nil,
		"since=2000-01-01T00:00:00Z&until=" + now.Add(-50*time.Hour).UTC().Format(time.RFC3339): lines("one no host a1 (runtime): 2 in 1, new"),
		"until=" + now.Add(-90*time.Minute).UTC().Format(time.RFC3339):                          lines("two no host b3 (runtime): 4 in 2, new"),
	} {
		if diff := cmp.Diff(want, failures(t, h, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if diff := cmp.Diff(lines("one no host b2 (runtime): 2 in 1, new"), failures(t, h, "", bearer...)); diff != "" {
		t.Errorf("token of a project (-want +got):\n%s", diff)
	}
	trowtest.Update(t, h.Store, func(tx trowel.Tx) error { // the session succeeds when it is run again
		s, err := tx.FindAttemptSummary(t.Context(), again.ID)
		if err != nil {
			return err
		}
		retry := &trowel.Attempt{Name: "again", WorkflowID: again.WorkflowID, Zone: "UTC", Cause: "retry", Actor: "ann", CreatedAt: now, Version: 1}
		if err := tx.InsertAttempt(t.Context(), &s.Session, retry); err != nil {
			return err
		}
		retry.Flags, retry.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, now
		return tx.UpdateAttempts(t.Context(), retry)
	})
	ended(t, h, two, now, "no host b9")
	page := servertest.Read[api.FailureList](t, h.Get(t, "/api/failures"), 200)
	if len(page.Items) != 2 || page.Items[0].Recovered || !page.Items[1].Recovered || page.Items[0].Message == old {
		t.Errorf("failures %+v, want the second one recovered", page.Items)
	}
	sample := page.Items[1].Sample
	if sample.TaskName != "+main+a" || len(sample.LogTail) != 1 || sample.AttemptID != api.ID(again.ID) || *page.Items[1].Kind != "runtime" {
		t.Errorf("sample %+v", sample)
	}
	cause := page.Items[0].Cause
	if got := failures(t, h, "cause="+cause); len(got) != 1 {
		t.Errorf("of one cause: %v", got)
	}
	later := now.Add(time.Second).UTC().Format(time.RFC3339)
	ended(t, h, one, now.Add(2*time.Second), "no host b7")
	if got := failures(t, h, "since="+later); len(got) != 1 || strings.Contains(got[0], "new") {
		t.Errorf("a cause that was known: %v", got)
	}
	for query, where := range map[string]string{"since=x": "since", "until=x": "until", "cause=1": "cause", "workflow=x": "workflow", "cursor=x": "cursor"} {
		if a := h.Get(t, "/api/failures?"+query); servertest.Read[api.Error](t, a, http.StatusBadRequest).Where != where {
			t.Errorf("%s: %s", query, a.Body)
		}
	}
}

// The summary of an attempt (A25) has the tasks that failed first, from what is stored of failures or, if there is nothing,
// from the tasks themselves.
func TestAttemptSummary(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	one := h.InsertTasks(t, "one")
	now := time.Now().Truncate(time.Second)
	good := ended(t, h, one, now.Add(-5*time.Hour), "")
	ended(t, h, one, now.Add(-4*time.Hour), "no host b1")
	bad := ended(t, h, one, now.Add(-3*time.Hour), "no host b2")
	get := func(id trowel.AttemptID) api.AttemptSummary {
		return servertest.Read[api.AttemptSummary](t, h.Get(t, fmt.Sprintf("/api/attempts/%d/summary", id)), 200)
	}
	s := get(bad.ID)
	if s.Status != "error" || s.Revision != "r1" || *s.LatestRevision != "r1" || s.StartedBy != (api.StartedBy{Kind: "schedule", Name: "scheduler"}) ||
		s.QueuedMs != 40_000 || s.RunMs != 20_000 || s.Tasks != 2 || s.Counts["error"] != 1 || s.PreviousSuccess.ID != api.ID(good.ID) || len(s.Can) != 2 {
		t.Errorf("summary %+v", s)
	}
	want := api.RootCause{
		TaskID: s.RootCauses[0].TaskID, TaskName: "+main+a", Operator: s.RootCauses[0].Operator, Try: 1, At: s.RootCauses[0].At, Tasks: 2,
		Error:   api.TaskFailure{Message: "no host b2 (runtime)", Kind: s.RootCauses[0].Error.Kind},
		LogTail: api.List[string]{"<b>last</b>"}, Cause: s.RootCauses[0].Cause, SameCause: 1,
	}
	if diff := cmp.Diff(api.List[api.RootCause]{want}, s.RootCauses); diff != "" || *want.Operator != "sh" || *want.Error.Kind != "runtime" {
		t.Errorf("root causes (-want +got):\n%s", diff)
	}
	if s := get(good.ID); s.Status != "success" || len(s.RootCauses) != 0 || s.PreviousSuccess != nil {
		t.Errorf("summary of a success %+v", s)
	}
	running := h.InsertTasks(t, "two", &trowel.Task{
		FullName: "+main+bad", State: trowel.TaskPlanned, Flags: trowel.TaskDelayedError, Local: param.Of("py>", "x"), Try: 1,
		Error: trowel.ErrorObject("cannot import", "runtime"),
	})
	s = get(running)
	if len(s.RootCauses) != 1 || s.RootCauses[0].Error.Message != "cannot import (runtime)" || s.RootCauses[0].Cause != nil || *s.RootCauses[0].Operator != "py" {
		t.Errorf("root causes of a task whose failure is being handled: %+v", s.RootCauses)
	}
	if a := h.Get(t, "/api/attempts/9999/summary"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown attempt: %d %s", a.Status, a.Body)
	}
}
