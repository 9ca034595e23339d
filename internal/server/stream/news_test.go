package stream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// frames reads a stream of events.
type frames struct {
	t     *testing.T
	lines *bufio.Scanner
}

func watch(t *testing.T, h *servertest.Server, topic string) *frames {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/api/events?topic="+topic, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Body.Close() })
	return &frames{t, bufio.NewScanner(w.Body)}
}

// next returns the next frame: its name, the status of its attempt, and the states of its tasks by id.
func (f *frames) next() (name, status string, states map[string]string) {
	f.t.Helper()
	for f.lines.Scan() {
		if text, found := strings.CutPrefix(f.lines.Text(), "event: "); found {
			name = text
		}
		data, found := strings.CutPrefix(f.lines.Text(), "data: ")
		if !found {
			continue
		}
		var shape struct {
			Status string
			Rows   []struct{ ID, State string }
		}
		if err := json.Unmarshal([]byte(data), &shape); err != nil {
			f.t.Fatalf("frame %s: %v", data, err)
		}
		for _, row := range shape.Rows {
			if states == nil {
				states = map[string]string{}
			}
			states[row.ID] = row.State
		}
		return name, shape.Status, states
	}
	f.t.Fatalf("the stream ends: %v", f.lines.Err())
	return "", "", nil
}

// Changes by another server are read from the store, and sent once each like those of this one. So is the end of an
// attempt, after which its tasks are in the archive.
func TestEventStreamElsewhere(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", servertest.Scheduled)
	if a := h.Put(t, "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`); a.Status != http.StatusOK {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	started, updated := time.UnixMilli(1_700_000_000_000), time.UnixMilli(1_700_000_001_000)
	task := func(id trowel.TaskID, state trowel.TaskState, version int64) *trowel.Task {
		return &trowel.Task{
			ID: id, AttemptID: 1, FullName: "+main", State: state, Try: 1, StartedAt: started, UpdatedAt: updated, Version: version,
		}
	}
	// change sets the version of the attempt and its tasks or, when it ends, its archive.
	change := func(version int64, done trowel.AttemptFlags, tasks ...*trowel.Task) {
		t.Helper()
		err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
			return changeAttempt(t.Context(), tx, version, done, tasks)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(1, 0, task(1, trowel.TaskPlanned, 1), task(2, trowel.TaskBlocked, 1))
	one, project, other := watch(t, h, "attempt:1"), watch(t, h, "project:1"), watch(t, h, "workflow:1/other")
	want := func(f *frames, name, status string, states map[string]string) {
		t.Helper()
		gotName, gotStatus, gotStates := f.next()
		if gotName != name || gotStatus != status {
			t.Errorf("frame %s %s, want %s %s", gotName, gotStatus, name, status)
		}
		if diff := cmp.Diff(states, gotStates); diff != "" {
			t.Errorf("tasks of the frame %s (-want +got):\n%s", name, diff)
		}
	}
	change(2, 0, task(3, trowel.TaskRunning, 2))
	h.Events.Publish(events.Event{AttemptID: 1, Remote: true})
	want(one, "tasks", "", map[string]string{"3": "running"})
	own := &events.TaskRow{ID: 4, State: trowel.TaskReady, Version: 3}
	change(3, 0, task(4, trowel.TaskReady, 3))
	h.Events.Publish(events.Event{AttemptID: 1, ProjectID: 1, Workflow: "main", Version: 3, Task: own})
	want(one, "tasks", "", map[string]string{"4": "ready"})
	change(5, trowel.AttemptDone|trowel.AttemptSuccess, task(3, trowel.TaskSuccess, 4), task(4, trowel.TaskSuccess, 5), task(2, trowel.TaskBlocked, 1))
	h.Events.Publish(events.Event{AttemptID: 1, Remote: true, AttemptChanged: true})
	want(one, "attempt", "success", nil)
	want(one, "tasks", "", map[string]string{"3": "success", "4": "success"})
	want(project, "attempt", "success", nil)
	h.Events.Publish(events.Event{AttemptID: 1, ProjectID: 1, Workflow: "main", Version: 3, Task: own}, events.Event{Gap: true})
	want(one, "reset", "", nil) // but not of the own change, which is older than what was read
	want(project, "reset", "", nil)
	want(other, "reset", "", nil) // it was not told of the end
}

// If another server changes very many tasks, the client must read everything again.
func TestEventStreamManyElsewhere(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", servertest.Scheduled)
	if a := h.Put(t, "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`); a.Status != http.StatusOK {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	stream := watch(t, h, "attempt:1")
	tasks := make([]*trowel.Task, 10_001)
	for i := range tasks {
		tasks[i] = &trowel.Task{ID: trowel.TaskID(i + 1), AttemptID: 1, FullName: "+main", UpdatedAt: time.UnixMilli(5), Version: 9}
	}
	if err := h.Store.Update(t.Context(), func(tx trowel.Tx) error { return changeAttempt(t.Context(), tx, 9, 0, tasks) }); err != nil {
		t.Fatal(err)
	}
	h.Events.Publish(events.Event{AttemptID: 1, Remote: true})
	if name, _, states := stream.next(); name != "reset" || len(states) > 0 {
		t.Errorf("frame %s with %d tasks, want a reset without any", name, len(states))
	}
}

func changeAttempt(ctx context.Context, tx trowel.Tx, version int64, done trowel.AttemptFlags, tasks []*trowel.Task) error {
	attempts, err := tx.LockAttempts(ctx, []trowel.AttemptID{1})
	if err != nil {
		return err
	}
	a := attempts[0]
	a.Version, a.Flags = version, done
	if done == 0 {
		err = tx.InsertTasks(ctx, tasks)
	} else {
		a.FinishedAt = time.Now()
		err = tx.ArchiveTasks(ctx, a.FinishedAt, trowel.EndedTasks{AttemptID: a.ID, Tasks: tasks})
	}
	if err != nil {
		return err
	}
	return tx.UpdateAttempts(ctx, a)
}
