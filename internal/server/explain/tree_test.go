package explain_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// treeTask returns a task of the tree of TestTree. Its id is 5000 and more, above those of the attempt's own tasks.
func treeTask(id, parent int, name string, state trowel.TaskState, upstreams ...int) *trowel.Task {
	t := &trowel.Task{
		ID: trowel.TaskID(5000 + id), FullName: name, State: state, Flags: trowel.TaskInitial, Local: param.Of("echo>", id),
		Origin: trowel.Origin{Place: fmt.Sprintf("main.dig:%d:1", id)},
	}
	if parent >= 0 {
		t.ParentID = trowel.TaskID(5000 + parent)
	}
	for _, up := range upstreams {
		t.Upstreams = append(t.Upstreams, trowel.TaskID(5000+up))
	}
	if state == trowel.TaskPlanned || state == trowel.TaskGroupError || name == "+t+after" {
		t.Group, t.Local = true, nil
	}
	return t
}

// treeTasks has a failed, a running and a blocked group.
func treeTasks() []*trowel.Task {
	return []*trowel.Task{
		treeTask(0, -1, "+t", trowel.TaskPlanned),
		treeTask(1, 0, "+t+bad", trowel.TaskGroupError),
		treeTask(2, 1, "+t+bad+one", trowel.TaskSuccess),
		treeTask(3, 1, "+t+bad+two", trowel.TaskError, 2),
		treeTask(4, 1, "+t+bad+three", trowel.TaskBlocked, 3),
		treeTask(5, 0, "+t+good", trowel.TaskPlanned),
		treeTask(6, 5, "+t+good+run", trowel.TaskRunning),
		treeTask(7, 5, "+t+good+next", trowel.TaskBlocked, 6),
		treeTask(8, 0, "+t+after", trowel.TaskBlocked, 1, 5),
		treeTask(9, 8, "+t+after+deep", trowel.TaskBlocked),
		treeTask(10, 5, "+t+good+loop", trowel.TaskReady),
	}
}

// shown writes items in short: depth, name, kind, state, reason.
func shown(page *api.TreePage) (lines []string) {
	for i := range page.Items {
		item := &page.Items[i]
		line := fmt.Sprintf("%d %s %s", item.Depth, item.Name, item.State)
		if item.Kind != "operator" {
			line += " " + item.Kind
		}
		if item.Reason != nil {
			line += ": " + *item.Reason.Code
		}
		if !item.Matches {
			line += " (above)"
		}
		lines = append(lines, line)
	}
	return lines
}

// tree reads all pages of a query.
func tree(t *testing.T, h *servertest.Server, attempt trowel.AttemptID, query string) (all api.TreePage) {
	t.Helper()
	for cursor := ""; ; {
		page := servertest.Read[api.TreePage](t, h.Get(t, fmt.Sprintf("/api/attempts/%d/tree?%s&cursor=%s", attempt, query, cursor)), http.StatusOK)
		all.Items = append(all.Items, page.Items...)
		all.Total, all.Version, all.Status, all.Tasks, all.Next = page.Total, page.Version, page.Status, page.Tasks, page.Next
		if page.Next == nil || strings.Contains(query, "around") {
			return all
		}
		cursor = *page.Next
	}
}

// insertTree stores an attempt with these tasks and no others.
func insertTree(t *testing.T, h *servertest.Server, tasks []*trowel.Task) trowel.AttemptID {
	t.Helper()
	id := h.InsertTasks(t, "one")
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		like, err := tx.FindAttemptSummary(t.Context(), id)
		if err != nil {
			return err
		}
		session := &trowel.Session{ProjectID: like.Project.ID, Workflow: "main", Time: time.Unix(0, 0), UUID: "u"}
		a := &trowel.Attempt{WorkflowID: like.Attempt.WorkflowID, Zone: "UTC", Cause: "start", Actor: "ann", CreatedAt: time.Unix(900, 0), Version: 1}
		if err := tx.InsertAttempt(t.Context(), session, a); err != nil {
			return err
		}
		id = a.ID
		for _, task := range tasks {
			task.AttemptID, task.UpdatedAt = id, time.Unix(2000, 0)
			if task.State != trowel.TaskBlocked {
				task.ReadyAt = time.Unix(1000, 0)
			}
			if task.State == trowel.TaskRunning || task.State.Done() && !task.Group {
				task.Try, task.ClaimedAt, task.StartedAt, task.AgentID = 1, time.Unix(1000+int64(task.ID), 0), time.Unix(1000+int64(task.ID), 0), "a"
				task.UpdatedAt = time.Unix(9000+2*int64(task.ID), 0)
			}
		}
		return tx.InsertTasks(t.Context(), tasks)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Levels, filters, orders and pages of a tree (A26), with pages of one item and of all.
func TestTree(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	tasks := treeTasks()
	tasks[10].Local = param.Of("for_each>", 1, "_do", param.Of("+a", param.Of("echo>", 1), "+b", param.Of("+c", param.Of("sh>", "x"))))
	id := insertTree(t, h, tasks)
	root := "0 +t planned group"
	bad, good, after := "1 +bad group_error group", "1 +good planned group", "1 +after not_reached group: not_reached"
	for query, want := range map[string][]string{
		"":                            {root},
		"depth=2":                     {root, bad, good, after},
		"parent=5000":                 {bad, good, after},
		"parent=5005":                 {"2 +run running", "2 +next blocked: upstream", "2 +loop ready: no_agent"},
		"parent=%2Bt%2Bafter&fields=": {"2 +deep not_reached"},
		"filter=failed&flat=1":        {root + " (above)", bad + " (above)", "2 +two error"},
		"filter=failed":               {root + " (above)"},
		"parent=5000&filter=failed":   {bad + " (above)"},
		"filter=running,queued&flat=true&parent=5000": {good + " (above)", "2 +run running", "2 +loop ready: no_agent"},
		"filter=waiting&flat=1":                       {root + " (above)", good + " (above)", "2 +next blocked: upstream", "2 +loop ready: no_agent"},
		"filter=not_reached&flat=1&fields=":           {root + " (above)", bad + " (above)", "2 +three not_reached", "1 +after not_reached group", "2 +deep not_reached"},
		"q=T%2BB&flat=1&filter=success":               {root + " (above)", bad + " (above)", "2 +one success"},
		"flat=1&sort=ms&filter=success,error":         {"2 +two error", "2 +one success"},
		"flat=1&sort=start&filter=success,error":      {"2 +one success", "2 +two error"},
		"parent=5001&sort=start":                      {"2 +one success", "2 +two error", "2 +three not_reached: parent_failed"},
		"parent=5010":                                 {"3 +a blocked planned", "3 +b blocked planned", "4 +c blocked planned"},
		"around=%2Bt%2Bgood%2Bnext":                   {root, good, "2 +run running", "2 +next blocked: upstream", "2 +loop ready: no_agent"},
		"around=5007&limit=1":                         {root, good, "2 +next blocked: upstream"},
	} {
		for _, limit := range []string{"", "&limit=1"} {
			if limit != "" && (strings.Contains(query, "around") || strings.Contains(query, "parent=5010")) {
				continue
			}
			page := tree(t, h, id, query+limit)
			if diff := cmp.Diff(want, shown(&page)); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", query, limit, diff)
			}
		}
	}
	page := tree(t, h, id, "fields=tries")
	if diff := cmp.Diff(map[string]int{"success": 1, "error": 1, "running": 1, "ready": 1, "blocked": 1, "not_reached": 2}, page.Items[0].Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if page.Tasks != 11 || page.Status != "running" || page.Items[0].Tries == nil || *page.Items[0].StartedAt == "" {
		t.Errorf("page = %+v", page)
	}
	item := tree(t, h, id, "parent=5005").Items[2]
	if item.ToMake != 2 || *item.Operator != "for_each" || *item.File != "main.dig" || *item.Line != 10 || item.Index != 2 {
		t.Errorf("item = %+v", item)
	}
	for query, want := range map[string]string{
		"parent=77": "has no task 77", "around=x": "has no task x", "filter=bad": `"where":"filter"`, "depth=0": `"where":"depth"`, "sort=id": `"where":"sort"`,
		"fields=x": `"where":"fields"`, "cursor=x": `"where":"cursor"`,
	} {
		if a := h.Get(t, fmt.Sprintf("/api/attempts/%d/tree?%s", id, query)); a.Status/100 != 4 || !strings.Contains(a.Body, want) {
			t.Errorf("%s: %d %s, want %s", query, a.Status, a.Body, want)
		}
	}
}

// A tree that was read follows the changes of the attempt: of states, of new tasks, of rounds, and its end.
func TestTreeChanges(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	tasks := treeTasks()
	id := insertTree(t, h, tasks)
	before := tree(t, h, id, "flat=1&fields=")
	change := func(f func(tx trowel.Tx, a *trowel.Attempt) error) {
		t.Helper()
		err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
			locked, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{id})
			if err != nil {
				return err
			}
			locked[0].Version++
			if err := f(tx, locked[0]); err != nil {
				return err
			}
			return tx.UpdateAttempts(t.Context(), locked[0])
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := tasks[6]
	change(func(tx trowel.Tx, a *trowel.Attempt) error {
		run.State, run.Version = trowel.TaskPlanned, a.Version
		if err := tx.UpdateTasks(t.Context(), []trowel.TaskUpdate{{Task: run, From: trowel.TaskRunning}}); err != nil {
			return err
		}
		made := treeTask(20, 6, "+t+good+run^sub", trowel.TaskReady)
		made.AttemptID, made.UpdatedAt, made.Version = id, time.Now(), a.Version
		err := tx.InsertAudits(t.Context(), []trowel.AuditEntry{{At: time.Now(), AttemptID: id, TaskID: run.ID, To: "planned"}})
		if err != nil {
			return err
		}
		return tx.InsertTasks(t.Context(), []*trowel.Task{made})
	})
	page := tree(t, h, id, "parent=5005&depth=2&fields=")
	want := []string{"2 +run planned", "3 ^sub ready generated", "2 +next blocked", "2 +loop ready"}
	if diff := cmp.Diff(want, shown(&page)); diff != "" || page.Version <= before.Version {
		t.Errorf("after a change, version %d, before %d (-want +got):\n%s", page.Version, before.Version, diff)
	}
	change(func(tx trowel.Tx, a *trowel.Attempt) error {
		a.Flags, a.FinishedAt = trowel.AttemptDone, time.Now()
		for _, task := range tasks {
			if task.State == trowel.TaskPlanned {
				task.State = trowel.TaskGroupError
			}
		}
		tasks[0].Round = 1 // its children are of an earlier round now
		return tx.ArchiveTasks(t.Context(), time.Now(), trowel.EndedTasks{AttemptID: id, Tasks: tasks})
	})
	page = tree(t, h, id, "flat=1&fields=")
	if diff := cmp.Diff([]string{"0 +t group_error group"}, shown(&page)); diff != "" || page.Status != "error" {
		t.Errorf("after the end, %s (-want +got):\n%s", page.Status, diff)
	}
	if old := tree(t, h, id, "filter=superseded&flat=1&fields="); len(old.Items) != 10 {
		t.Errorf("%d tasks of an earlier round, want 10", len(old.Items))
	}
}
