package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/operator"
)

// An agent may ask any server of its database: one that it is not connected to answers by the rows alone.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease = time.Hour
	first, second := f.serve(t, "s1", ""), f.serve(t, "s2", "")
	id, task := f.registered(t, first)
	own := api.AgentTry{TaskID: int64(task.TaskID), Try: task.Try}
	report := api.AgentReport{TaskID: own.TaskID, AttemptID: int64(task.AttemptID), Try: own.Try, Outcome: api.AgentSuccess, Ran: true}
	foreign := report
	foreign.Logs = []api.AgentLogChunk{piece(task.AttemptID, "+w+z@65a3f2c000000001.a.log.gz")}
	for _, c := range []struct {
		name, method, path string
		body               any
		status             int
		want               string
	}{
		{"a heartbeat", "POST", "/heartbeat", api.AgentHeld{Tries: []api.AgentTry{own}}, 200, `"lost":[]`},
		{"a heartbeat with a try of others", "POST", "/heartbeat", api.AgentHeld{Tries: []api.AgentTry{own, {TaskID: own.TaskID, Try: own.Try + 1}}}, 200, `"try":2}]`},
		{"a secret", "POST", "/secret", api.AgentSecretRequest{AgentTry: own, Key: "k"}, 200, `"found":false`},
		{"output of another task", "POST", "/reports", api.AgentReports{Reports: []api.AgentReport{foreign}}, 200, "of another one"},
		{"a result", "POST", "/reports", api.AgentReports{Reports: []api.AgentReport{report}}, 200, `"status":200`},
		{"the same result", "POST", "/reports", api.AgentReports{Reports: []api.AgentReport{report}}, 200, `"status":200`},
		{"its end", "DELETE", "", nil, 200, "{}"},
		{"a heartbeat after its end", "POST", "/heartbeat", api.AgentHeld{}, 404, "never registered"},
		{"its end again", "DELETE", "", nil, 404, "never registered"},
	} {
		status, text := second.call(t, c.method, "/api/agents/"+id+c.path, f.bearer, "", c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: status %d, %s; want %d and %q", c.name, status, text, c.status, c.want)
		}
	}
	if tries := f.tries(t, task.AttemptID); len(tries) != 1 || tries[0].AgentID != id {
		t.Errorf("tries = %+v, want one of agent %s", tries, id)
	}
}

// A server that is about to end takes no agents and connects none, and says what to do instead.
func TestNoAgentsAtTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	id, _ := f.registered(t, h)
	h.hub.Drain()
	registration := api.AgentRegistration{Name: "b", Host: "h", Version: "0", Slots: 1}
	status, text := h.call(t, "POST", "/api/agents", f.bearer, "", registration)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "is about to end") {
		t.Errorf("register: status %d, %s; want 503", status, text)
	}
	_, err := h.hub.Connect(t.Context(), id, tokenID(t, f), api.AgentHeld{})
	if err == nil || !strings.Contains(err.Error(), "is about to end") {
		t.Errorf("connect: error = %v, want that the server is about to end", err)
	}
}

// Files that the server keeps in a store of others come from there, by the address that the server gives. The store does
// not see the token, and what goes wrong there names it.
func TestArchiveElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease, f.beat = time.Hour, time.Hour
	h := f.serve(t, "s1", "")
	var sent []string
	store := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.URL.Path+" "+r.Header.Get("Authorization"))
		if r.URL.Path != "/files" {
			rw.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(rw, "files")
	}))
	t.Cleanup(store.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	places := []string{store.URL + "/files", store.URL + "/late", gone.URL + "/files", ""}
	next := 0
	redirect := func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		if !strings.Contains(r.URL.Path, "/archives/") {
			server.ServeHTTP(rw, r)
			return
		}
		if places[next] != "" {
			rw.Header().Set("Location", places[next])
		}
		rw.WriteHeader(http.StatusSeeOther)
		next++
	}
	h.hurt.Store(&redirect)
	var got []string
	linked := make(chan *testAgent, 1)
	linked <- f.connect(t, func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		m := <-linked
		for range places {
			from, err := m.link.Archive(ctx, r.Lease.Context.Revision.Archive)
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			files, err := io.ReadAll(from)
			got = append(got, string(files))
			if err := errors.Join(err, from.Close()); err != nil {
				return operator.Outcome{}, err
			}
		}
		return operator.Outcome{}, nil
	}, nil, h.URL)
	if status := result(t, h.start(t, one("x"))); status != "success" {
		t.Fatalf("the attempt ended as %s, want success", status)
	}
	host := strings.TrimPrefix(store.URL, "http://")
	want := []string{"files", "fetch an archive from " + host + ": HTTP 403", "fetch an archive from " + strings.TrimPrefix(gone.URL, "http://") + ": ", "read where an archive is: "}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("archives = %q, want texts that begin with %q", got, want)
	}
	if !slices.Equal(sent, []string{"/files ", "/late "}) {
		t.Errorf("the store got %q, want two requests without a token", sent)
	}
}
