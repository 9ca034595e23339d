package server

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	attempt := Event{AttemptID: 1, ProjectID: 2, Workflow: "w"}
	task := attempt
	task.Task = &TaskRow{ID: 5}
	output := attempt
	output.Log = &LogRow{Task: "+w+a"}
	schedule := Event{ProjectID: 2, Workflow: "w", Schedule: 3}
	for _, tc := range []struct {
		topic string
		want  [4]bool // attempt, task, output, schedule
	}{
		{"site", [4]bool{true, false, false, true}},
		{"project:2", [4]bool{true, false, false, true}},
		{"project:3", [4]bool{}},
		{"workflow:2/w", [4]bool{true, false, false, true}},
		{"workflow:2/x", [4]bool{}},
		{"attempt:1", [4]bool{true, true, false, false}},
		{"attempt:2", [4]bool{}},
		{"log:1/+w+a", [4]bool{false, false, true, false}},
		{"log:1/+w+b", [4]bool{}},
		{"schedules", [4]bool{false, false, false, true}},
	} {
		parsed, err := parseTopic(tc.topic)
		if err != nil {
			t.Errorf("parseTopic(%q): %v", tc.topic, err)
			continue
		}
		for i, event := range []Event{attempt, task, output, schedule} {
			if got := parsed.has(event); got != tc.want[i] {
				t.Errorf("topic %s has event %d = %v, want %v", tc.topic, i, got, tc.want[i])
			}
		}
	}
	for _, text := range []string{"", "nope", "project:", "project:x", "project:1/a", "workflow:1", "log:1", "site:1", "attempt:1/2"} {
		if _, err := parseTopic(text); err == nil {
			t.Errorf("parseTopic(%q) succeeds, want an error", text)
		}
	}
}

// Somebody who comes back gets what came after the position, or is told that it is lost.
func TestEventsResume(t *testing.T) {
	t.Parallel()
	e := NewEvents()
	site, _ := parseTopic("site")
	first, lost := e.watch(site, "")
	if lost {
		t.Error("a new watcher has lost something")
	}
	e.Publish(Event{AttemptID: 1})
	g, open := first.take()
	if _, ok := g.attempts[1]; !ok || !open {
		t.Errorf("gathered %v, open %v, want attempt 1 and open", g.attempts, open)
	}
	e.leave(first)
	e.Publish(Event{AttemptID: 2}, Event{AttemptID: 3}, Event{AttemptID: 2})
	again, lost := e.watch(site, g.position)
	if g, _ := again.take(); lost || len(g.attempts) != 2 {
		t.Errorf("after the return: lost %v, attempts %v, want 2 and 3", lost, g.attempts)
	}
	for range kept + 1 {
		e.Publish(Event{AttemptID: 4})
	}
	for _, position := range []string{g.position, "other-1", "nonsense", e.life + "-99999999"} {
		if _, lost := e.watch(site, position); !lost {
			t.Errorf("watch after %q: nothing lost, want lost", position)
		}
	}
	e.Close()
	if _, open := again.take(); open {
		t.Error("the stream is open after Close")
	}
}

// Of very many rows only counts are told, and which groups to read anew.
func TestTasksFrame(t *testing.T) {
	t.Parallel()
	rows := map[trowel.TaskID]*TaskRow{}
	for id := trowel.TaskID(1); id <= frameRows; id++ {
		rows[id] = &TaskRow{ID: id, ParentID: 7, State: trowel.TaskReady}
	}
	if frame := tasksFrame(1, rows); len(frame.Rows) != frameRows || len(frame.Stale) != 0 || frame.Counts["ready"] != frameRows {
		t.Errorf("%d rows: %d told, stale %v, counts %v", frameRows, len(frame.Rows), frame.Stale, frame.Counts)
	}
	rows[0] = &TaskRow{ParentID: 9, State: trowel.TaskRunning}
	if frame := tasksFrame(1, rows); len(frame.Rows) != 0 || len(frame.Stale) != 2 || frame.Counts["running"] != 1 {
		t.Errorf("more rows: %d told, stale %v, counts %v", len(frame.Rows), frame.Stale, frame.Counts)
	}
}
