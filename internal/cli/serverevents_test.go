package cli

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// eventsOf reads a stream of events until enough says so, which is given the last states of the attempt and of each task.
func eventsOf(s *servertest.Server, stream *bufio.Scanner, enough func(frame, status string, tasks map[string]string) bool) {
	s.T.Helper()
	frame, status, tasks := "", "", map[string]string{}
	for stream.Scan() {
		if name, found := strings.CutPrefix(stream.Text(), "event: "); found {
			frame = name
		}
		data, found := strings.CutPrefix(stream.Text(), "data: ")
		if !found {
			continue
		}
		var shape struct {
			Status string
			Rows   []struct{ ID, State string }
		}
		if err := json.Unmarshal([]byte(data), &shape); err != nil {
			s.T.Fatalf("frame %s: %v", data, err)
		}
		if frame == "attempt" {
			status = shape.Status
		}
		for _, row := range shape.Rows {
			tasks[row.ID] = row.State
		}
		if enough(frame, status, tasks) {
			return
		}
	}
	s.T.Fatalf("the stream ended with status %q, tasks %v: %v", status, tasks, stream.Err())
}

// A stream of a server that runs no tasks has all that another server on the database commits. If the
// connection for notifications was lost, it says that something may have been missed.
func TestEventsOfAnotherServer(t *testing.T) {
	t.Parallel()
	opts := pgtest.Start(t).Options()
	var database []string
	for line := range strings.Lines(settingsOf(opts)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			database = append(database, strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	mover := servertest.Start(t, database...)
	front := servertest.Start(t, append([]string{"server.executor.enabled", "false", "agent.enabled", "false", "schedule.enabled", "false"}, database...)...)
	watch := func(topic string) *bufio.Scanner {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front.URL+"/api/events?topic="+topic, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Body.Close() })
		return bufio.NewScanner(w.Body)
	}
	mover.Push("demo", "schedule:\n  daily>: 00:00:00\n+a:\n  sh>: echo one; sleep 1 # longer than output waits to be stored\n+b:\n  +c:\n    echo>: two\n  +d:\n    echo>: three\n")
	workflow := "/api/projects/1/workflows/main"
	mover.Request("POST", workflow+"/pause", "application/json", "{}")
	site := watch("site")
	attempt := mover.StartAttempt("1", "2024-01-01T00:00:00Z")
	eventsOf(front, site, func(frame, status string, _ map[string]string) bool {
		return status == "running" || frame == "reset" // it began to listen only after the start
	})
	one, project, named := watch("attempt:"+attempt), watch("project:1"), watch("workflow:1/main")
	output, schedules := watch("log:"+attempt+"/%2Bmain%2Ba"), watch("schedules")
	mover.Request("POST", "/api/schedules/1/disable", "", "")
	eventsOf(front, schedules, func(frame, _ string, _ map[string]string) bool { return frame == "schedule" })
	mover.Request("POST", workflow+"/resume", "application/json", "{}")
	eventsOf(front, output, func(frame, _ string, _ map[string]string) bool { return frame == "log" })
	eventsOf(front, one, func(_, status string, tasks map[string]string) bool {
		succeeded := 0
		for _, state := range tasks {
			if state == "success" {
				succeeded++
			}
		}
		return status == "success" && succeeded == 5 // root, +a, +b, +b+c and +b+d
	})
	for _, stream := range []*bufio.Scanner{site, project, named} {
		eventsOf(front, stream, func(_, status string, _ map[string]string) bool { return status == "success" })
	}
	const cut = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND pid <> pg_backend_pid()`
	if _, err := pgtest.Connect(t, opts).ExecContext(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []*bufio.Scanner{site, one, project} {
		eventsOf(front, stream, func(frame, _ string, _ map[string]string) bool { return frame == "reset" })
	}
}
