package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/client"
)

// A stream is read event by event. Comments are only signs of life.
func TestEvents(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": trowel\n\nid: a-1\nevent: reset\ndata: {}\n\n: still here\n\nid: a-2\nevent: tasks\ndata: {\"rows\":\ndata: []}\n\nid: a-3\nevent: half")
	})
	stream, err := newClient(t, client.Options{Endpoint: server.URL}).Events(t.Context(), "attempt:1", "a-0")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for _, want := range []client.Event{
		{Position: "a-1", Name: "reset", Data: []byte("{}")},
		{Position: "a-2", Name: "tasks", Data: []byte(`{"rows":[]}`)},
	} {
		got, err := stream.Next()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("event (-want +got):\n%s%v", diff, err)
		}
	}
	if event, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("an event that is cut off: %+v, %v, want %v", event, err, io.EOF)
	}
	if seen := server.seen(); seen[0] != "GET /api/events?after=a-0&topic=attempt%3A1" {
		t.Errorf("asked for %s", seen[0])
	}
}

// The memory for one event is limited, however many lines it has. Data outside of an event is dropped.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("x", 1<<20) + "\n"
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Repeat(line+"\n", 20)+"event: log\ndata: {}\n\nevent: log\n"+strings.Repeat(line, 17)+"\n")
	})
	stream, err := newClient(t, client.Options{Endpoint: server.URL}).Events(t.Context(), "attempt:1", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if event, err := stream.Next(); err != nil || string(event.Data) != "{}" {
		t.Errorf("after events without a name: %d bytes, %v, want {}", len(event.Data), err)
	}
	if event, err := stream.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("an event of 17 MiB: %d bytes, %v, want an error", len(event.Data), err)
	}
}

// Digdag's server has no events, and neither has a page of another server.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"404":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"405":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusMethodNotAllowed) },
		"page": func(w http.ResponseWriter) { send(w, 200, "<html></html>") },
	} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w) })
		_, err := newClient(t, client.Options{Endpoint: server.URL}).Events(t.Context(), "attempt:1", "")
		if !errors.Is(err, client.ErrNoEvents) {
			t.Errorf("%s: %v, want %v", name, err, client.ErrNoEvents)
		}
	}
}
