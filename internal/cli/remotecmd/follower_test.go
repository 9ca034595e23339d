package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
)

// noted is a view that records its calls.
type noted struct {
	known map[api.ID]bool
	told  []string
}

func (n *noted) Begin(a *api.Attempt) { n.told = append(n.told, "begin "+a.ID.String()) }

func (n *noted) Tasks(_ *api.Attempt, tasks []api.Task) {
	n.known = map[api.ID]bool{}
	var states []string
	for i := range tasks {
		n.known[tasks[i].ID] = true
		states = append(states, tasks[i].State)
	}
	if line := "tasks " + strings.Join(states, " "); len(n.told) == 0 || n.told[len(n.told)-1] != line {
		n.told = append(n.told, line)
	}
}

func (n *noted) Changed(rows []api.TaskChange) (stale bool) {
	for _, row := range rows {
		n.told = append(n.told, fmt.Sprintf("changed %s %s", row.ID, row.State))
		stale = stale || !n.known[row.ID]
	}
	return stale
}

func (n *noted) Note(text string) {
	text, _, _ = strings.Cut(text, ": ")
	n.told = append(n.told, text)
}

func (n *noted) End(a *api.Attempt, _ []api.Task, _ taskFacts) {
	n.told = append(n.told, "end "+attemptStatus(a))
}

func (n *noted) Leave() { n.told = append(n.told, "leave") }

// attemptServer is a server with one attempt. Its lists show one state after the other; with the last one the attempt is
// done.
type attemptServer struct {
	states []string
	// answer may handle a request. It reports whether it did.
	answer func(w http.ResponseWriter, r *http.Request) bool
	looks  atomic.Int32 // number of lists so far
}

func (s *attemptServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.answer != nil && s.answer(w, r) {
		return
	}
	at := min(int(s.looks.Load()), len(s.states)-1)
	switch r.URL.Path {
	case "/api/attempts/4":
		done := at == len(s.states)-1
		attempt := strings.Replace(clitest.AttemptDone, `"done":true,"success":true`, fmt.Sprintf(`"done":%t,"success":%t`, done, done && s.states[at] == "success"), 1)
		_, _ = io.WriteString(w, attempt)
	case "/api/attempts/4/tasks":
		s.looks.Add(1)
		_, _ = fmt.Fprintf(w, `{"tasks":[{"id":"7","fullName":"+w","state":%q,"isGroup":false,"config":{},"exportParams":{},"storeParams":{},"stateParams":{},"error":{},"updatedAt":"2024-01-01T00:00:00Z"}]}`, s.states[at])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func followed(ctx context.Context, t *testing.T, s *attemptServer) (*noted, error) {
	t.Helper()
	view := &noted{}
	f := &follower{server: clientOf(t, httptest.NewServer(s)), id: 4, view: view, least: time.Millisecond}
	_, err := f.run(ctx)
	return view, err
}

// clientOf returns a client of a server, which it closes with the test.
func clientOf(t *testing.T, server *httptest.Server) *client.Client {
	t.Helper()
	t.Cleanup(server.Close)
	c, err := client.New(client.Options{Endpoint: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A server without events, such as Digdag's, is polled.
func TestFollowByLooking(t *testing.T) {
	t.Parallel()
	view, err := followed(t.Context(), t, &attemptServer{states: []string{"blocked", "running", "running", "error"}})
	want := []string{"begin 4", "tasks blocked", "tasks running", "tasks error", "end error"}
	if diff := cmp.Diff(want, view.told); diff != "" || err != nil {
		t.Errorf("told (-want +got):\n%s%v", diff, err)
	}
}

// With events, tasks are listed only at the beginning, at the end, and when events do not say enough.
func TestFollowByEvents(t *testing.T) {
	t.Parallel()
	s := &attemptServer{states: []string{"blocked", "running", "success"}}
	second := make(chan struct{})
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/api/attempts/4/tasks" && s.looks.Load() == 1:
			close(second)
			return false
		case r.URL.Path != "/api/events":
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(name, data string) {
			_, _ = fmt.Fprintf(w, "id: x-1\nevent: %s\ndata: %s\n\n", name, data)
			_ = http.NewResponseController(w).Flush()
		}
		send("tasks", `{"rows":[{"id":"7","state":"ready"}],"stale":[]}`)
		send("tasks", `{"rows":[{"id":"8","state":"ready"}],"stale":[]}`) // not known yet
		<-second
		send("attempt", strings.Replace(clitest.AttemptDone, `"params":{"k":"<v>"}`, `"params":{}`, 1))
		<-r.Context().Done()
		return true
	}
	view, err := followed(t.Context(), t, s)
	want := []string{"begin 4", "tasks blocked", "changed 7 ready", "changed 8 ready", "tasks running", "tasks success", "end success"}
	if diff := cmp.Diff(want, view.told); diff != "" || err != nil {
		t.Errorf("told (-want +got):\n%s%v", diff, err)
	}
	if n := s.looks.Load(); n != 3 {
		t.Errorf("%d lists, want 3", n)
	}
}

// The command waits for a server that goes away, but not for one that refuses.
func TestFollowServerGoesAway(t *testing.T) {
	t.Parallel()
	var refused atomic.Int32
	s := &attemptServer{states: []string{"running", "success"}}
	s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if s.looks.Load() == 1 && refused.Add(1) <= 25 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	view, err := followed(t.Context(), t, s)
	want := []string{"begin 4", "tasks running", "waiting for the server", "the server answers again", "tasks success", "end success"}
	if diff := cmp.Diff(want, view.told); diff != "" || err != nil {
		t.Errorf("told (-want +got):\n%s%v", diff, err)
	}
	s = &attemptServer{states: []string{"running", "success"}}
	s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if s.looks.Load() == 1 {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return s.looks.Load() == 1
	}
	view, err = followed(t.Context(), t, s)
	if refusal, ok := errors.AsType[*client.StatusError](err); !ok || refusal.Code != http.StatusUnauthorized || view.told[len(view.told)-1] != "leave" {
		t.Errorf("refused: %v, told %v", err, view.told)
	}
}

// The user may stop watching. Then the command waits for nothing.
func TestFollowInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &attemptServer{states: []string{"running", "running", "running"}}
	s.answer = func(_ http.ResponseWriter, _ *http.Request) bool {
		if s.looks.Load() == 1 {
			cancel(cmd.ErrInterrupted)
		}
		return false
	}
	view, err := followed(ctx, t, s)
	if err == nil || !errors.Is(context.Cause(ctx), cmd.ErrInterrupted) || view.told[len(view.told)-1] != "leave" {
		t.Errorf("interrupted: %v, told %v", err, view.told)
	}
}
