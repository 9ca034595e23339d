package ops_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Control K801 to K803: pools are created, changed and deleted while tasks use and want slots.
func TestPools(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	now := time.Now()
	running := &trowel.Task{State: trowel.TaskRunning, Try: 1, AgentID: "x", StartedAt: now, Requirements: servertest.Needing("db", 3, 1)}
	h.InsertTasks(t, "p", running,
		&trowel.Task{State: trowel.TaskReady, Requirements: servertest.Needing("db", 2, 1), ReadyAt: now.Add(-time.Hour)},
		&trowel.Task{State: trowel.TaskReady, Requirements: servertest.Needing("db", 1, 100), ReadyAt: now},
		&trowel.Task{State: trowel.TaskReady},
		&trowel.Task{State: trowel.TaskRunning, Try: 1, AgentID: "x", StartedAt: now})
	list := servertest.Read[api.PoolList](t, h.Get(t, "/api/pools"), 200)
	if len(list.Items) != 1 || list.Items[0].Name != "default" || list.Items[0].Used != 1 || list.Items[0].Waiting != 1 || list.Items[0].Open != nil {
		t.Errorf("pools at first = %+v", list.Items)
	}
	if len(list.Missing) != 1 || list.Missing[0].Name != "db" || list.Missing[0].Waiting != 2 || *list.Missing[0].OldestWaitMS < 3_500_000 {
		t.Errorf("missing = %+v", list.Missing)
	}
	dry := servertest.Read[api.PoolChange](t, h.Put(t, "/api/pools/db", `{"slots":4,"dryRun":true}`), 200)
	if !dry.DryRun || dry.Action != "create" || dry.Expect != "none" || dry.Pool.Waiting != 2 || dry.Startable != 2 {
		t.Errorf("dry run = %+v", dry)
	}
	made := servertest.Read[api.PoolChange](t, h.Put(t, "/api/pools/db", `{"slots":4,"description":"warehouse","expect":"none"}`), 200)
	if made.Action != "create" || h.Flusher.LimitChanges.Load() != 1 {
		t.Errorf("made = %+v, flusher told %d times", made, h.Flusher.LimitChanges.Load())
	}
	running.Acquired = trowel.Acquired{"pool:" + made.Pool.ID.String(): 3}
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		if err := tx.UpdateTasks(t.Context(), []trowel.TaskUpdate{{Task: running, From: trowel.TaskRunning, Detail: true}}); err != nil {
			return err
		}
		_, err := tx.RecountCounters(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := servertest.Read[api.PoolChange](t, h.Put(t, "/api/pools/db", `{"slots":4}`), 200)
	if again.Action != "none" || again.Pool.Description != "warehouse" || again.Pool.Used != 3 || *again.Pool.Open != 1 || again.Startable != 1 {
		t.Errorf("again = %+v", again)
	}
	if a := h.Put(t, "/api/pools/db", `{"slots":9,"expect":"none"}`); a.Status != http.StatusPreconditionFailed || !strings.Contains(a.Body, `"code":"changed"`) {
		t.Errorf("old expectation: %d %s", a.Status, a.Body)
	}
	small := servertest.Read[api.PoolChange](t, h.Put(t, "/api/pools/db", `{"slots":1,"expect":"`+again.Expect+`"}`), 200)
	if *small.Pool.Open != -2 || small.Startable != 0 || len(small.Notes) != 1 || !strings.HasPrefix(small.Notes[0], "2 more slots are in use than there are") {
		t.Errorf("shrunk = %+v", small)
	}
	if got := servertest.Read[api.Pool](t, h.Get(t, "/api/pools/db"), 200); got.Slots != 1 || got.Used != 3 {
		t.Errorf("pool = %+v", got)
	}
	holding := servertest.Read[api.PoolTaskList](t, h.Get(t, "/api/pools/db/tasks"), 200)
	if len(holding.Items) != 1 || holding.Items[0].Slots != 3 || holding.Items[0].FullName != "+main+t0" || *holding.Items[0].Agent != "x" {
		t.Errorf("holding = %+v", holding)
	}
	deleted := servertest.Read[api.PoolChange](t, h.Delete(t, "/api/pools/db"), 200)
	want := api.List[string]{
		"3 slots are in use: the tasks that hold them run on", `2 tasks wait for it: they wait (pool_missing) until there is a pool "db" again`,
	}
	if diff := cmp.Diff(want, deleted.Notes); diff != "" || deleted.Action != "delete" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	h.Get(t, "/api/pools/db")
	audit := servertest.Read[api.AuditList](t, h.Get(t, "/api/audit?action=pool"), 200)
	var texts []string
	for _, entry := range audit.Items {
		texts = append(texts, entry.Text)
	}
	if diff := cmp.Diff([]string{
		"anonymous deleted the pool db", "anonymous changed the pool db: slots 4 to 1",
		`anonymous made the pool db: slots 4, description "warehouse", includeDeferred false`,
	}, texts); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// Waiting tasks are listed in the order in which they will be claimed, page by page.
func TestWaitingForPool(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	now := time.Now()
	ready := func(name string, weight int, waited time.Duration) *trowel.Task {
		return &trowel.Task{FullName: name, State: trowel.TaskReady, Requirements: servertest.Needing("db", 1, weight), ReadyAt: now.Add(-waited)}
	}
	h.Put(t, "/api/pools/db", `{"slots":0}`)
	h.InsertTasks(t, "p", ready("+late", 1, 0), ready("+aged", 1, 21*time.Minute), ready("+heavy", 5, 0), ready("+light", -7, 0), ready("+early", 1, time.Minute))
	var names []string
	for path := "/api/pools/db/tasks?use=waiting&limit=2"; path != ""; {
		page := servertest.Read[api.PoolTaskList](t, h.Get(t, path), 200)
		for _, item := range page.Items {
			names = append(names, fmt.Sprint(*item.Position, item.FullName))
		}
		if path = ""; page.Next != nil {
			path = "/api/pools/db/tasks?use=waiting&limit=2&cursor=" + *page.Next
		}
	}
	if diff := cmp.Diff([]string{"1+aged", "2+heavy", "3+early", "4+late", "5+light"}, names); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// With 0 slots no task starts that names the pool; of the default pool, none that names no pool (K802).
func TestPoolWithoutSlots(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  echo>: a\n")
	for path, want := range map[string]string{
		"/api/pools/db":                "0 slots: no task that names the pool starts",
		"/api/pools/default":           "0 slots: no task that names no pool starts",
		"/api/pools/default?project=p": "0 slots: no task that names the pool starts",
	} {
		done := servertest.Read[api.PoolChange](t, h.Put(t, path, `{"slots":0}`), 200)
		if diff := cmp.Diff(api.List[string]{want}, done.Notes); diff != "" {
			t.Errorf("notes of %s (-want +got):\n%s", path, diff)
		}
	}
}

// Invalid requests get a status, a code and the name of the field.
func TestBadPoolRequests(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  echo>: a\n")
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"PUT", "/api/pools/db", `{}`, 400, `{"message":"the new pool \"db\" needs a number of slots","status":400,"code":"invalid","where":"slots"}`},
		{"PUT", "/api/pools/db", `{"slots":-2}`, 400, `a pool has -1 to 1000000000 slots, not -2`},
		{"PUT", "/api/pools/db", `{"slots":1e10}`, 400, ``},
		{"PUT", "/api/pools/db", `{"slots":"many"}`, 400, ``},
		{"PUT", "/api/pools/db", ``, 400, `the body is empty`},
		{"PUT", "/api/pools/a%2Fb", `{"slots":1}`, 400, `"where":"name"`},
		{"PUT", "/api/pools/" + strings.Repeat("x", 65), `{"slots":1}`, 400, `at most 64 letters`},
		{"PUT", "/api/pools/db?project=none", `{"slots":1}`, 404, `there is no project \"none\"`},
		{"DELETE", "/api/pools/default", ``, 409, `"code":"built_in","hint":"give it -1 slots to have no limit: trowel pools set default unlimited"`},
		{"DELETE", "/api/pools/none", ``, 404, `"code":"not_found"`},
		{"GET", "/api/pools/none", ``, 404, `there is no pool \"none\"`},
		{"GET", "/api/pools/default?project=p", ``, 404, `there is no pool \"default\" in project p`},
		{"GET", "/api/pools/none/tasks", ``, 404, `"code":"not_found"`},
		{"GET", "/api/pools/default/tasks?use=both", ``, 400, `"where":"use"`},
		{"GET", "/api/pools?limit=0", ``, 400, `"where":"limit"`},
		{"GET", "/api/pools?limit=501", ``, 400, `limit must be a number from 1 to 500`},
		{"GET", "/api/pools?cursor=%21", ``, 400, `"where":"cursor"`},
		{"GET", "/api/pools/default/tasks?cursor=YQ", ``, 400, `"where":"cursor"`},
		{"GET", "/api/agents/none", ``, 404, `there is no agent with id \"none\"`},
		{"POST", "/api/agents/none/drain", ``, 404, `"code":"not_found"`},
		{"GET", "/api/audit?attempt=x", ``, 400, `"where":"attempt"`},
		{"GET", "/api/audit?attempt=99", ``, 404, `there is no attempt with id 99`},
		{"GET", "/api/audit?task=%2Ba", ``, 400, `"where":"task"`},
		{"GET", "/api/audit?workflow=w", ``, 400, `"where":"workflow"`},
		{"GET", "/api/audit?order=up", ``, 400, `"where":"order"`},
		{"GET", "/api/audit?order=asc", ``, 400, `"where":"order"`},
		{"GET", "/api/audit?from=yesterday", ``, 400, `"where":"from"`},
		{"GET", "/api/audit?project=none", ``, 404, `"code":"not_found"`},
		{"POST", "/api/projects/1/workflows/none/pause", ``, 404, `has no workflow \"none\"`},
		{"POST", "/api/projects/9/workflows/main/pause", ``, 404, ``},
		{"POST", "/api/projects/1/workflows/main/resume", ``, 409, `"code":"not_paused"`},
	} {
		a := h.Do(t, c.method, c.path, "application/json", c.body)
		if a.Status != c.status || !strings.Contains(a.Body, c.want) {
			t.Errorf("%s %s %s = %d %s, want %d %s", c.method, c.path, c.body, a.Status, a.Body, c.status, c.want)
		}
	}
}

// A pool of a project hides that of the site, and only callers of its project see it.
func TestPoolsOfProjects(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  echo>: a\n")
	h.Put(t, "/api/pools/db", `{"slots":1}`)
	h.Put(t, "/api/pools/db?project=p", `{"slots":2}`)
	h.InsertTasks(t, "q", &trowel.Task{State: trowel.TaskReady, Requirements: servertest.Needing("db", 1, 1)})
	h.InsertTasks(t, "p2", &trowel.Task{State: trowel.TaskReady, Requirements: servertest.Needing("db", 1, 1)})
	all := servertest.Read[api.PoolList](t, h.Get(t, "/api/pools?limit=2"), 200)
	if len(all.Items) != 2 || all.Next == nil || all.Items[0].Name != "db" || all.Items[0].Waiting != 2 {
		t.Fatalf("first page = %+v", all)
	}
	rest := servertest.Read[api.PoolList](t, h.Get(t, "/api/pools?limit=2&cursor="+*all.Next), 200)
	if len(rest.Items) != 1 || rest.Items[0].Project.Name != "p" || rest.Items[0].Slots != 2 || rest.Items[0].Waiting != 0 || rest.Next != nil {
		t.Errorf("second page = %+v", rest)
	}
	bearer := "Bearer " + h.Token(t, access.RoleOperator, "q")
	other := h.Do(t, "GET", "/api/pools", "", "", "Authorization", bearer)
	if list := servertest.Read[api.PoolList](t, other, 200); len(list.Items) != 2 || len(list.Items[0].Can) != 0 {
		t.Errorf("pools of q = %+v", list)
	}
	for path, status := range map[string]int{"/api/pools/x": 403, "/api/pools/x?project=p": 404, "/api/pools/x?project=q": 200} {
		if a := h.Do(t, "PUT", path, "application/json", `{"slots":1}`, "Authorization", bearer); a.Status != status {
			t.Errorf("PUT %s by a caller of q = %d %s", path, a.Status, a.Body)
		}
	}
}
