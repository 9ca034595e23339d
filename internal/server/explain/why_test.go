package explain_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// instantOf returns a time of the attempts below.
func instantOf(seconds int64) time.Time { return time.Unix(1705276800+seconds, 0).UTC() }

// newTrial stores an attempt with these tasks. Their ids begin with 1, and their names say which parents they have.
func newTrial(t *testing.T, h *servertest.Server, tasks ...*trowel.Task) {
	t.Helper()
	h.Push(t, "project=p&revision=r1", "w.dig", "+a:\n  echo>: hi\n")
	if a := h.Put(t, "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`); a.Status != http.StatusOK {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	ids := map[string]trowel.TaskID{}
	for i, task := range tasks {
		task.ID, task.AttemptID, task.Flags = trowel.TaskID(i+1), 1, task.Flags|trowel.TaskInitial
		task.UpdatedAt = instantOf(int64(i))
		if end := strings.LastIndexAny(task.FullName, "+^"); end > 0 {
			task.ParentID = ids[task.FullName[:end]]
		}
		ids[task.FullName] = task.ID
		if task.State == trowel.TaskReady || task.State == trowel.TaskRunning {
			task.ReadyAt = instantOf(int64(i))
		}
	}
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error { return tx.InsertTasks(t.Context(), tasks) })
	if err != nil {
		t.Fatal(err)
	}
}

// trial returns tasks in many states.
func trial() []*trowel.Task {
	return []*trowel.Task{
		{FullName: "+w", Group: true, State: trowel.TaskPlanned},
		{FullName: "+w+load", State: trowel.TaskReady, Origin: trowel.Origin{Place: "w.dig:3:1"}, Requirements: &trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: "db", Slots: 2}}}},
		{FullName: "+w+g", Group: true, State: trowel.TaskBlocked, Upstreams: []trowel.TaskID{2}},
		{FullName: "+w+g+load", State: trowel.TaskBlocked},
		{FullName: "+w+g+next", State: trowel.TaskBlocked, Upstreams: []trowel.TaskID{4}},
		{FullName: "+w+bad", State: trowel.TaskError, Try: 1, Error: param.Of("message", "no such table")},
		{FullName: "+w+after", State: trowel.TaskBlocked, Upstreams: []trowel.TaskID{6}},
		{FullName: "+w+last", State: trowel.TaskBlocked, Upstreams: []trowel.TaskID{7}},
		{FullName: "+w+h", Group: true, State: trowel.TaskPlanned},
		{FullName: "+w+h+next", State: trowel.TaskRunning, Try: 1, AgentID: "a1", ClaimedAt: instantOf(9)},
	}
}

func ask[T any](t *testing.T, h *servertest.Server, path string) (answer T) {
	t.Helper()
	a := h.Get(t, path)
	if a.Status != http.StatusOK {
		t.Fatalf("GET %s = %d %s", path, a.Status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func chainOf(why *api.Why) (lines []string) {
	for i := range why.Chain {
		link := &why.Chain[i]
		code := "-"
		if link.Reason.Code != nil {
			code = *link.Reason.Code
		}
		lines = append(lines, link.Task.Name+" "+link.State+" "+code)
	}
	return lines
}

// K818 and A30: all reasons of a task, and the chain behind the first.
func TestWhy(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	newTrial(t, h, trial()...)
	for _, row := range []struct {
		name, path, code, state string
		reasons, chain          []string
	}{
		{
			name: "ready", path: "/tasks/2/why", code: "pool_missing", state: "ready",
			reasons: []string{"pool_missing", "no_agent"}, chain: []string{"+w+load ready pool_missing"},
		},
		{
			name: "below a blocked group", path: "/why?task=%2Bg%2Bnext", code: "parent", state: "blocked",
			reasons: []string{"parent", "upstream"},
			chain:   []string{"+w+g+next blocked parent", "+w+g blocked upstream", "+w+load ready pool_missing"},
		},
		{
			name: "by a name that others have below", path: "/why?task=%2Bload", code: "pool_missing", state: "ready",
			reasons: []string{"pool_missing", "no_agent"}, chain: []string{"+w+load ready pool_missing"},
		},
		{
			name: "not reached", path: "/tasks/8/why", code: "not_reached", state: "not_reached",
			reasons: []string{"not_reached"},
			chain:   []string{"+w+last not_reached not_reached", "+w+after not_reached not_reached", "+w+bad error -"},
		},
		{name: "running", path: "/tasks/10/why", state: "running", chain: []string{"+w+h+next running -"}},
		{
			name: "the attempt", path: "/why", code: "children", state: "running",
			reasons: []string{"children"}, chain: []string{"+w planned children", "+w+load ready pool_missing"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			why := ask[api.Why](t, h, "/api/attempts/1"+row.path)
			code := ""
			if why.Code != nil {
				code = *why.Code
			}
			if code != row.code || why.State != row.state || why.Text == "" {
				t.Errorf("%s = %s, %s, %q; want %s, %s", row.path, code, why.State, why.Text, row.code, row.state)
			}
			var reasons []string
			for _, r := range why.Reasons {
				reasons = append(reasons, *r.Code)
			}
			if diff := cmp.Diff(row.reasons, reasons); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.chain, chainOf(&why)); diff != "" {
				t.Errorf("chain (-want +got):\n%s", diff)
			}
			var offers []string
			for _, o := range why.Offers {
				offers = append(offers, o.Label)
			}
			if last := row.chain[len(row.chain)-1]; strings.HasSuffix(last, "pool_missing") != slices.Contains(offers, "trowel pools set db 1") {
				t.Errorf("offers = %v at the end of %v", offers, row.chain)
			}
		})
	}
}

// A30: the answer about an attempt counts its waiting tasks by code.
func TestWhyByCode(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	newTrial(t, h, trial()...)
	why := ask[api.AttemptWhy](t, h, "/api/attempts/1/why")
	want := api.List[api.CodeCount]{
		{Code: "parent", Count: 2, Sample: api.TaskRef{ID: 4, Name: "+w+g+load"}},
		{Code: "not_reached", Count: 2, Sample: api.TaskRef{ID: 7, Name: "+w+after"}},
		{Code: "upstream", Count: 1, Sample: api.TaskRef{ID: 3, Name: "+w+g"}},
		{Code: "pool_missing", Arg: "db", Count: 1, Sample: api.TaskRef{ID: 2, Name: "+w+load"}},
		{Code: "children", Count: 2, Sample: api.TaskRef{ID: 1, Name: "+w"}},
	}
	if diff := cmp.Diff(want, why.ByCode); diff != "" {
		t.Errorf("byCode (-want +got):\n%s", diff)
	}
	page := ask[api.TaskReasonList](t, h, "/api/attempts/1/reasons?limit=5")
	if page.Next == nil || len(page.Items) != 5 || page.Items[3].Task.Name != "+w+g+load" || *page.Items[3].Reason.Code != "parent" {
		t.Errorf("first page = %+v", page)
	}
	if page = ask[api.TaskReasonList](t, h, "/api/attempts/1/reasons?limit=5&cursor="+*page.Next); page.Next != nil || len(page.Items) != 3 {
		t.Errorf("second page = %+v", page)
	}
}

// K219: a task has its reason, tries and evaluated options.
func TestTaskDetail(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	newTrial(t, h, trial()...)
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertTries(t.Context(), []trowel.Try{{
			AttemptID: 1, TaskID: 6, Number: 1, FullName: "+w+bad", AgentID: "a1", EndedAt: instantOf(8), Exit: trowel.ExitError, LastLines: []string{"oh"},
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	task := ask[api.TaskDetail](t, h, "/api/attempts/1/tasks/2")
	why := ask[api.Why](t, h, "/api/attempts/1/tasks/2/why")
	if task.Place == nil || *task.Place != "w.dig:3:1" || why.Place == nil || *why.Place != *task.Place {
		t.Errorf("place = %v, of its reason %v, want w.dig:3:1", task.Place, why.Place)
	}
	places := ask[api.TaskPlaceList](t, h, "/api/attempts/1/places")
	want := api.List[api.TaskPlace]{{Task: api.TaskRef{ID: 2, Name: "+w+load"}, Place: "w.dig:3:1"}}
	if diff := cmp.Diff(want, places.Items); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if task.FullName != "+w+load" || task.StateDetail != "ready" || task.Reason == nil || *task.Reason.Code != "pool_missing" {
		t.Errorf("task = %+v", task)
	}
	if pool, _ := task.Reason.Fields.Get("pool"); pool != "db" {
		t.Errorf("reason has fields %s, want the pool", param.JSON(task.Reason.Fields))
	}
	if e := task.Effective; e == nil || e.Queue != "default" || len(e.Pools) != 1 || e.Pools[0] != (api.TaskPool{Name: "db", Slots: 2}) {
		t.Errorf("effective = %+v", e)
	}
	bad := ask[api.TaskDetail](t, h, "/api/attempts/1/tasks/6")
	if bad.Reason != nil || len(bad.Tries) != 1 || bad.Tries[0].Exit != "error" || bad.Tries[0].LastLines[0] != "oh" {
		t.Errorf("failed task = %+v", bad)
	}
	if after := ask[api.TaskDetail](t, h, "/api/attempts/1/tasks/7"); after.State != "blocked" || after.StateDetail != "not_reached" || after.Effective != nil {
		t.Errorf("not reached task = %+v", after)
	}
}

// K203: the archive of an ended attempt explains tasks that never ran.
func TestWhyOfArchivedTasks(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	newTrial(t, h)
	rows := trial()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		attempts, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{1})
		if err != nil {
			return err
		}
		a := attempts[0]
		a.Flags, a.FinishedAt, a.Version = trowel.AttemptDone, instantOf(99), a.Version+1
		if err := tx.UpdateAttempts(t.Context(), a); err != nil {
			return err
		}
		kept := []*trowel.Task{rows[0], rows[5], rows[6], rows[7]}
		for i, task := range kept {
			task.ID, task.AttemptID, task.UpdatedAt = trowel.TaskID(i+1), 1, instantOf(int64(i))
			if i > 0 {
				task.ParentID = 1
			}
		}
		rows[0].State, rows[6].Upstreams, rows[7].Upstreams = trowel.TaskGroupError, []trowel.TaskID{2}, []trowel.TaskID{3}
		return tx.ArchiveTasks(t.Context(), instantOf(99), trowel.EndedTasks{AttemptID: 1, Tasks: kept})
	})
	if err != nil {
		t.Fatal(err)
	}
	why := ask[api.Why](t, h, "/api/attempts/1/why?task=%2Blast")
	if why.State != "not_reached" || *why.Code != "parent_failed" || len(why.Offers) != 1 || why.Offers[0].Label != "trowel retry 1 --latest-revision --resume" {
		t.Errorf("why = %+v", why)
	}
	want := []string{"+w+last not_reached parent_failed", "+w group_error -", "+w+bad error -"}
	if diff := cmp.Diff(want, chainOf(&why)); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
	whole := ask[api.AttemptWhy](t, h, "/api/attempts/1/why")
	if whole.Code != nil || whole.State != "error" || len(whole.ByCode) != 1 || whole.ByCode[0].Count != 2 {
		t.Errorf("why of the attempt = %+v", whole)
	}
}

// Unknown and ambiguous tasks are errors.
func TestWhyOfNothing(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	newTrial(t, h, append(trial(), &trowel.Task{FullName: "+w+g+x", Group: true}, &trowel.Task{FullName: "+w+g+x+deep"},
		&trowel.Task{FullName: "+w+h+x", Group: true}, &trowel.Task{FullName: "+w+h+x+deep"})...)
	for path, want := range map[string]string{
		"/api/attempts/2/why":                   `404 {"message":"Resource does not exist: session attempt id=2","status":404,"code":"not_found"}`,
		"/api/attempts/1/tasks/99":              `404 {"message":"attempt 1 has no task 99","status":404,"code":"not_found"}`,
		"/api/attempts/1/tasks/99/why":          `404 {"message":"attempt 1 has no task 99","status":404,"code":"not_found"}`,
		"/api/attempts/1/why?task=%2Bnone":      `404 {"message":"attempt 1 has no task whose name ends in +none","status":404,"code":"not_found","hint":"trowel tasks 1 lists its tasks"}`,
		"/api/attempts/1/why?task=deep":         `400 {"message":"several tasks of attempt 1 end in +deep: +w+g+x+deep, +w+h+x+deep","status":400,"code":"invalid","where":"task","hint":"write more of the name"}`,
		"/api/attempts/1/reasons?limit=501":     `400 {"message":"limit must be a number from 1 to 500, not \"501\"","status":400,"code":"invalid","where":"limit"}`,
		"/api/attempts/1/tasks/9999999999x":     `404 `,
		"/api/attempts/1/tasks/-1/why":          `404 {"message":"attempt 1 has no task -1","status":404,"code":"not_found"}`,
		"/api/attempts/1/reasons?cursor=%21%21": `400 {"message":"\"!!\" is no cursor of this list","status":400,"code":"invalid","where":"cursor","hint":"send next of the page before, or none for the first page"}`,
	} {
		a := h.Get(t, path)
		if got := fmt.Sprint(a.Status, " ", a.Body); got != want {
			t.Errorf("GET %s = %s\nwant %s", path, got, want)
		}
	}
}
