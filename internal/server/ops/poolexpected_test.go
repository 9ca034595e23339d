package ops_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Tasks with slots are expected to take as long as in the last successful attempt, and waiting ones to begin then.
func TestExpectedSlots(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	now := time.Now().Truncate(time.Millisecond)
	earlier := h.InsertTasks(t, "p")
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		locked, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{earlier})
		if err != nil {
			return err
		}
		a := locked[0]
		a.Flags, a.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, now
		if err := tx.UpdateAttempts(t.Context(), a); err != nil {
			return err
		}
		try := func(task trowel.TaskID, took time.Duration) trowel.Try {
			return trowel.Try{
				AttemptID: earlier, TaskID: task, Number: 1, FullName: fmt.Sprintf("+main+t%d", task), StartedAt: now.Add(-time.Hour),
				EndedAt: now.Add(-time.Hour + took), Exit: trowel.ExitSuccess,
			}
		}
		return tx.InsertTries(t.Context(), []trowel.Try{try(0, time.Hour), try(1, 30*time.Minute)})
	})
	if err != nil {
		t.Fatal(err)
	}
	w := servertest.Read[api.WorkflowCollection](t, h.Get(t, "/api/projects/1/workflows"), 200).Workflows[0]
	a := servertest.Read[api.Attempt](t, h.Put(t, "/api/attempts", `{"workflowId":"`+w.ID.String()+`","sessionTime":"2024-01-02T00:00:00Z","params":{}}`), 200)
	made := servertest.Read[api.PoolChange](t, h.Put(t, "/api/pools/db", `{"slots":3}`), 200)
	use := "pool:" + made.Pool.ID.String()
	task := func(n int, state trowel.TaskState, slots int) *trowel.Task {
		row := &trowel.Task{
			ID: trowel.TaskID(5000 + n), AttemptID: trowel.AttemptID(a.ID), FullName: fmt.Sprintf("+main+t%d", n), State: state, Flags: trowel.TaskInitial,
			Requirements: servertest.Needing("db", slots, 1), ReadyAt: now.Add(time.Duration(n-10) * time.Minute), UpdatedAt: now,
		}
		if state == trowel.TaskRunning {
			row.Try, row.AgentID, row.StartedAt, row.Acquired = 1, "x", now.Add(-10*time.Minute), trowel.Acquired{use: slots}
		}
		return row
	}
	err = h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		if err := tx.InsertTasks(t.Context(), []*trowel.Task{
			task(0, trowel.TaskRunning, 1), task(1, trowel.TaskRunning, 2), task(2, trowel.TaskReady, 1), task(3, trowel.TaskReady, 2), task(4, trowel.TaskReady, 1),
		}); err != nil {
			return err
		}
		_, err := tx.RecountCounters(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	expected := func(path string) map[string]string {
		found := map[string]string{}
		for _, item := range servertest.Read[api.PoolTaskList](t, h.Get(t, path), 200).Items {
			found[item.FullName] = "unknown"
			if item.ExpectedAt != nil {
				found[item.FullName] = *item.ExpectedAt
			}
		}
		return found
	}
	long, short := document.Instant(now.Add(50*time.Minute)), document.Instant(now.Add(20*time.Minute))
	if diff := cmp.Diff(map[string]string{"+main+t0": long, "+main+t1": short}, expected("/api/pools/db/tasks")); diff != "" {
		t.Errorf("holding (-want +got):\n%s", diff)
	}
	want := map[string]string{"+main+t2": short, "+main+t3": long, "+main+t4": "unknown"}
	if diff := cmp.Diff(want, expected("/api/pools/db/tasks?use=waiting")); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
}
