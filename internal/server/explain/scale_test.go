package explain_test

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

var scale = flag.Int("explain.tasks", 2000, "how many tasks the large attempt of TestTreeScale has; 100000 prints figures")

// largeTree returns tasks: a group with half of them, and groups of 100 with the others. One in a hundred failed, ran or is ready;
// most are blocked.
func largeTree(attempt trowel.AttemptID, tasks int, ended bool) []*trowel.Task {
	first := trowel.TaskID(int(attempt) * 1_000_000)
	var list []*trowel.Task
	at := time.Now().Add(-time.Hour)
	add := func(parent trowel.TaskID, name string, state trowel.TaskState, upstreams ...trowel.TaskID) trowel.TaskID {
		t := &trowel.Task{
			ID: first + trowel.TaskID(len(list)), AttemptID: attempt, ParentID: parent, FullName: name, State: state, Flags: trowel.TaskInitial, Upstreams: upstreams,
			Local: param.Of("echo>", "hello ${session_time}", "note", "some words that stand in each task"), UpdatedAt: at, Version: 1,
			Origin: trowel.Origin{Place: fmt.Sprintf("main.dig:%d:3", len(list)+1)}, ReadyAt: at,
		}
		if t.Group = state == trowel.TaskPlanned; t.Group {
			t.Local = nil
		}
		if ended && t.State == trowel.TaskPlanned {
			t.State = trowel.TaskGroupError
		}
		if state.Done() || state == trowel.TaskRunning {
			t.Try, t.ClaimedAt, t.StartedAt, t.AgentID = 1, at, at, "agent-1"
		}
		list = append(list, t)
		return t.ID
	}
	states := []trowel.TaskState{trowel.TaskSuccess, trowel.TaskError, trowel.TaskRunning, trowel.TaskReady}
	stateOf := func(i int) trowel.TaskState {
		switch {
		case i%100 < len(states) && (!ended || states[i%100].Done()):
			return states[i%100]
		case i%3 == 0:
			return trowel.TaskSuccess
		}
		return trowel.TaskBlocked
	}
	root := add(0, "+main", trowel.TaskPlanned)
	wide := add(root, "+main+wide", trowel.TaskPlanned)
	for i := 0; len(list) < tasks/2; i++ {
		add(wide, fmt.Sprintf("+main+wide+task_%d", i), stateOf(i))
	}
	for g := 0; len(list) < tasks; g++ {
		group := add(root, fmt.Sprintf("+main+group_%d", g), trowel.TaskPlanned)
		last := add(group, fmt.Sprintf("+main+group_%d+first", g), stateOf(g))
		for i := range 98 {
			last = add(group, fmt.Sprintf("+main+group_%d+task_%d", g, i), stateOf(i), last)
		}
	}
	return list
}

// Pages of a tree are fast however many tasks it has. With -explain.tasks=100000 the test prints how fast, on both databases and
// for running and ended attempts.
func TestTreeScale(t *testing.T) {
	t.Parallel()
	servertest.OnDatabases(t, func(t *testing.T, h *servertest.Server, db trowel.Store) {
		t.Helper()
		for _, ended := range []bool{false, true} {
			testTreeScale(t, h, db, seedTree(t, db, ended), ended)
		}
	})
}

// seedTree stores a large attempt.
func seedTree(t *testing.T, db trowel.Store, ended bool) *trowel.Attempt {
	t.Helper()
	a := &trowel.Attempt{Zone: "UTC", Cause: "start", Actor: "ann", CreatedAt: time.Now(), Version: 1}
	trowtest.Update(t, db, func(tx trowel.Tx) error {
		p, w := &trowel.Project{Name: fmt.Sprint("p", ended), CreatedAt: time.Now()}, &trowel.Workflow{Name: "main", Zone: "UTC", Definition: param.New()}
		if err := tx.InsertRevision(t.Context(), p, &trowel.Revision{Name: "r", CreatedAt: time.Now()}, []*trowel.Workflow{w}); err != nil {
			return err
		}
		a.WorkflowID = w.ID
		return tx.InsertAttempt(t.Context(), &trowel.Session{ProjectID: p.ID, Workflow: "main", Time: time.Unix(0, 0), UUID: "u"}, a)
	})
	trowtest.Update(t, db, func(tx trowel.Tx) error {
		if ended {
			a.Flags, a.FinishedAt = trowel.AttemptDone, time.Now()
			if err := tx.UpdateAttempts(t.Context(), a); err != nil {
				return err
			}
			return tx.ArchiveTasks(t.Context(), time.Now(), trowel.EndedTasks{AttemptID: a.ID, Tasks: largeTree(a.ID, *scale, true)})
		}
		return tx.InsertTasks(t.Context(), largeTree(a.ID, *scale, false))
	})
	return a
}

func testTreeScale(t *testing.T, h *servertest.Server, db trowel.Store, a *trowel.Attempt, ended bool) {
	t.Helper()
	figures := func(what string, times []time.Duration) {
		if *scale < 100_000 {
			return
		}
		slices.Sort(times)
		t.Logf("ended %v: %-45s p50 %8s  p95 %8s  worst %8s", ended, what, times[len(times)/2].Round(10*time.Microsecond),
			times[len(times)*95/100].Round(10*time.Microsecond), times[len(times)-1].Round(10*time.Microsecond))
	}
	path := fmt.Sprintf("/api/attempts/%d/tree?", a.ID)
	root := int64(a.ID) * 1_000_000
	get := func(query string) (api.TreePage, time.Duration) {
		start := time.Now()
		answer := h.Get(t, path+query)
		took := time.Since(start)
		return servertest.Read[api.TreePage](t, answer, http.StatusOK), took
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	page, took := get("")
	runtime.GC()
	runtime.ReadMemStats(&after)
	figures(fmt.Sprintf("first (%d tasks, %d MB kept)", page.Tasks, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20), []time.Duration{took})
	if page.Tasks < *scale {
		t.Errorf("%d tasks, want %d", page.Tasks, *scale)
	}
	wide := largeTree(a.ID, *scale, ended)[*scale/4].ID
	for _, query := range []string{
		"depth=2&limit=200", fmt.Sprintf("parent=%d&limit=200", root+1), fmt.Sprintf("parent=%d&limit=500&fields=tries", root+1), "flat=1&filter=failed&limit=200",
		"flat=1&filter=waiting&limit=200", "flat=1&filter=not_reached&limit=500", "flat=1&q=task_77&limit=200", "flat=1&sort=ms&limit=100",
		fmt.Sprintf("around=%d&limit=200", wide), fmt.Sprintf("parent=%d&sort=start&limit=200", root+1), "flat=1&filter=queued&limit=500",
	} {
		var times []time.Duration
		for range 1 + *scale/5000 {
			page, took := get(query)
			if times = append(times, took); len(page.Items) == 0 && *scale > 5000 && !ended {
				t.Errorf("%s finds nothing", query)
			}
		}
		figures(query, times)
	}
	if ended {
		return
	}
	tasks := largeTree(a.ID, *scale, false)
	var times []time.Duration
	for i := range 1 + *scale/5000 {
		trowtest.Update(t, db, func(tx trowel.Tx) error {
			locked, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{a.ID})
			if err != nil {
				return err
			}
			locked[0].Version++
			task := tasks[2+i*100+2] // runs
			task.State, task.Version, task.UpdatedAt = trowel.TaskSuccess, locked[0].Version, time.Now()
			if err := tx.UpdateAttempts(t.Context(), locked[0]); err != nil {
				return err
			}
			if err := tx.InsertAudits(t.Context(), []trowel.AuditEntry{{At: time.Now(), AttemptID: a.ID, TaskID: task.ID, To: "success"}}); err != nil {
				return err
			}
			return tx.UpdateTasks(t.Context(), []trowel.TaskUpdate{{Task: task, From: trowel.TaskRunning}})
		})
		page, took := get(fmt.Sprintf("parent=%d&limit=200", root+1))
		if times = append(times, took); i == 0 && page.Items[2].State != "success" {
			t.Errorf("after a change the state is %s", page.Items[2].State)
		}
	}
	figures("after a change", times)
}
