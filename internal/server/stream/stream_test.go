package stream_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// listen opens a stream of events of a server with attempt 1.
func listen(t *testing.T, topics string) (h *servertest.Server, header http.Header, body io.Reader) {
	t.Helper()
	h = servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", servertest.Scheduled)
	if a := h.Put(t, "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`); a.Status != http.StatusOK {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/api/events?"+topics, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Body.Close() })
	return h, w.Header, w.Body
}

// A stream sends events at once, and ends with the server.
func TestEventStream(t *testing.T) {
	t.Parallel()
	h, header, body := listen(t, "topic=site")
	if got := header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	h.Events.Publish(events.Event{AttemptID: 1, ProjectID: 1, Workflow: "main"})
	lines := bufio.NewScanner(body)
	got := ""
	for !strings.HasPrefix(got, "data: ") && lines.Scan() {
		got = lines.Text()
	}
	if !strings.Contains(got, `"id":"1"`) || !strings.Contains(got, `"sessionTime":"2024-01-01T09:00:00+09:00"`) {
		t.Errorf("event %q, want the attempt", got)
	}
	h.Events.Close()
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Errorf("the stream does not end: %v", err)
	}
}

// A stream of several topics says of each event to which it belongs, and which topics there are not.
func TestSeveralTopics(t *testing.T) {
	t.Parallel()
	h, _, body := listen(t, "topic=site&topic=attempt:99&topic=log:1/%2Bmain%2Ba")
	h.Events.Publish(events.Event{AttemptID: 1, ProjectID: 1, Workflow: "main"}, events.Event{AttemptID: 1, Log: &events.LogRow{Task: "+main+a", Offset: 3, Size: 7}})
	want := map[string]string{"gone": `{"topic":"attempt:99"}`, "attempt": `{"topic":"site",`, "log": `{"topic":"log:1/+main+a","offset":3,"size":7,"task":"+main+a"}`}
	lines := bufio.NewScanner(body)
	name := ""
	for len(want) > 0 && lines.Scan() {
		if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = event
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if !strings.HasPrefix(data, want[name]) || want[name] == "" {
				t.Errorf("event %s is %s, want %s", name, data, want[name])
			}
			delete(want, name)
		}
	}
	h.Events.Close()
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Errorf("the stream does not end: %v", err)
	}
	for query, status := range map[string]int{"topic=attempt:99&topic=project:99": http.StatusNotFound, "topic=site&topic=nonsense": http.StatusBadRequest} {
		if a := h.Get(t, "/api/events?"+query); a.Status != status {
			t.Errorf("%s: status %d, want %d", query, a.Status, status)
		}
	}
}
