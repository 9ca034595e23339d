package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// TestBadRequests: whatever is sent, the answer is a refusal with a JSON body that says what is wrong,
// and nothing is stored.
//
//nolint:paralleltest,tparallel // what is stored is looked at when all have been refused
func TestBadRequests(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	if a := h.Push(t, "project=p&revision=r1", "main.dig", servertest.Scheduled); a.Status != http.StatusOK {
		t.Fatalf("push: %d %s", a.Status, a.Body)
	}
	large := `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`
	for _, tc := range []struct {
		name, method, path, contentType, body string
		status                                int
		says                                  string
	}{
		{"empty body", "PUT", "/api/attempts", "application/json", "", 400, "empty"},
		{"null", "PUT", "/api/attempts", "application/json", "null", 400, "null"},
		{"no JSON", "PUT", "/api/attempts", "application/json", "{", 400, ""},
		{"deep JSON", "PUT", "/api/attempts", "application/json", strings.Repeat("[", 100_000), 400, ""},
		{"large body", "PUT", "/api/attempts", "application/json", large, 413, "larger than"},
		{"no content type", "PUT", "/api/attempts", "", "{}", 400, "content type"},
		{"other content type", "PUT", "/api/projects?project=x&revision=r", "application/json", "{}", 400, "content type"},
		{"no archive", "PUT", "/api/projects?project=x&revision=r", "application/gzip", "no archive", 400, "gz format"},
		{"path that leaves", "PUT", "/api/projects?project=x&revision=r", "application/gzip", servertest.Packed(t, "../x", "x"), 400, "Bad zip entry"},
		{"unknown workflow", "PUT", "/api/attempts", "application/json", `{"workflowId":"99","sessionTime":"2024-01-01T00:00:00Z","params":{}}`, 404, "workflow id=99"},
		{"wrong time", "PUT", "/api/attempts", "application/json", `{"workflowId":"1","sessionTime":"yesterday","params":{}}`, 400, "yesterday"},
		{"bad key", "PUT", "/api/projects/1/secrets/a..b", "application/json", `{"value":"v"}`, 400, "Invalid secret"},
		{"encoded slash", "GET", "/api/logs/1/files/%2Fetc%2Fpasswd", "", "", 404, "attempt"},
		{"unknown encoding", "PUT", "/api/projects/1/secrets/k", "application/json", "", 400, ""},
		{"unknown topic", "GET", "/api/events?topic=nope", "", "", 400, "topic="},
		{"token without a name", "POST", "/api/tokens", "application/json", `{"role":"read"}`, 403, "not allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := h.Do(t, tc.method, tc.path, tc.contentType, tc.body)
			var document struct {
				Message *string
				Status  int
			}
			if err := json.Unmarshal([]byte(a.Body), &document); err != nil || a.Status != tc.status || document.Status != tc.status {
				t.Fatalf("%d %q, %v, want status %d with its JSON", a.Status, servertest.Short(a.Body), err, tc.status)
			}
			if document.Message == nil || !strings.Contains(*document.Message, tc.says) || strings.Contains(a.Body, "goroutine") {
				t.Errorf("message %q, want one with %q", servertest.Short(a.Body), tc.says)
			}
		})
	}
	if a := h.Get(t, "/api/attempts"); a.Body != `{"attempts":[]}` {
		t.Errorf("after refusals there are attempts: %s", a.Body)
	}
	if a := h.Get(t, "/api/projects"); strings.Count(a.Body, `"id"`) != 1 {
		t.Errorf("after refusals there are other projects: %s", a.Body)
	}
}

// A refused push says what is wrong in which line, for all files.
func TestPushFindings(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	a := h.Push(t, "project=p&revision=r", "main.dig", "+a:\n  echo>: a\n  sh>: b\n")
	var document struct {
		Message  string
		Findings []struct {
			File, Message, Hint string
			Line                int
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &document); err != nil || a.Status != http.StatusBadRequest {
		t.Fatalf("push: %d %s", a.Status, a.Body)
	}
	if len(document.Findings) != 1 || document.Findings[0].File != "main.dig" || document.Findings[0].Line != 3 || document.Findings[0].Hint == "" {
		t.Errorf("findings: %+v", document.Findings)
	}
	if a := h.Get(t, "/api/projects"); a.Body != `{"projects":[]}` {
		t.Errorf("after the refusal there is a project: %s", a.Body)
	}
}

// broken is a store that cannot be used.
type broken struct{ trowel.Store }

func (broken) View(context.Context, func(trowel.Tx) error) error   { return trowel.ErrUnavailable }
func (broken) Update(context.Context, func(trowel.Tx) error) error { return trowel.ErrUnavailable }

// While the database is away requests get 503 with a reason.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) { o.REST.Store = broken{o.REST.Store} })
	for _, path := range []string{"/api/projects", "/api/attempts/1", "/api/health"} {
		a := h.Get(t, path)
		if a.Status != http.StatusServiceUnavailable || !strings.HasPrefix(a.Body, "{") {
			t.Errorf("GET %s = %d %s, want 503 with a reason", path, a.Status, a.Body)
		}
	}
}

// Who may do what: nobody without credentials, readers only read, and those of one project see nothing
// else.
func TestAccess(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Now: o.REST.Now})
		o.REST.Metrics = http.NotFoundHandler()
	})
	admin := []string{"Authorization", "Basic dTpw"}
	if a := h.Get(t, "/api/projects"); a.Status != http.StatusUnauthorized || a.Body != `{"message":"Missing Authorization header","status":401}` {
		t.Errorf("without credentials: %d %s", a.Status, a.Body)
	}
	if a := h.Get(t, "/api/nope"); a.Status != http.StatusUnauthorized {
		t.Errorf("unknown path without credentials: %d, want 401", a.Status)
	}
	if a := h.Get(t, "/api/version"); a.Status != http.StatusOK {
		t.Errorf("version without credentials: %d, want 200", a.Status)
	}
	for _, project := range []string{"one", "two"} {
		a := h.Do(t, http.MethodPut, "/api/projects?revision=r&project="+project, "application/gzip", servertest.Packed(t, "main.dig", servertest.Scheduled), admin...)
		if a.Status != http.StatusOK {
			t.Fatalf("push: %d %s", a.Status, a.Body)
		}
	}
	var made struct{ Secret string }
	a := h.Do(t, http.MethodPost, "/api/tokens", "application/json", `{"name":"reader","role":"read","project":"one"}`, admin...)
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil || !strings.HasPrefix(made.Secret, "trw_") {
		t.Fatalf("make a token: %d %s", a.Status, a.Body)
	}
	reader := []string{"Authorization", "Bearer " + made.Secret}
	for path, want := range map[string]int{
		"/api/projects/1": 200, "/api/projects/2": 404, "/api/projects/3": 404, "/api/workflows/2": 404, "/api/schedules/2": 404, "/api/tokens": 403,
		"/metrics": 403, "/api/events?topic=site": 403,
	} {
		a := h.Do(t, http.MethodGet, path, "", "", reader...)
		if a.Status != want || want == 404 && !strings.Contains(a.Body, " (the token is for the project one)") {
			t.Errorf("reader of one project: GET %s = %d %s, want %d", path, a.Status, a.Body, want)
		}
	}
	for _, path := range []string{"/api/projects", "/api/workflows", "/api/schedules"} {
		if a := h.Do(t, http.MethodGet, path, "", "", reader...); strings.Contains(a.Body, `"two"`) || !strings.Contains(a.Body, `"one"`) {
			t.Errorf("reader of one project: GET %s = %s", path, a.Body)
		}
	}
	if a := h.Do(t, http.MethodDelete, "/api/projects/1", "", "", reader...); a.Status != http.StatusForbidden {
		t.Errorf("reader deletes: %d %s", a.Status, a.Body)
	}
	if a := h.Do(t, http.MethodGet, "/metrics", "", "", admin...); a.Status != http.StatusNotFound {
		t.Errorf("GET /metrics = %d, want what the page answers", a.Status)
	}
	a = h.Do(t, http.MethodPost, "/api/tokens", "application/json", `{"name":"agents","role":"agent"}`, admin...)
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
		t.Fatalf("make a token: %d %s", a.Status, a.Body)
	}
	for _, path := range []string{"/metrics", "/api/projects", "/api/agents"} {
		a := h.Do(t, http.MethodGet, path, "", "", "Authorization", "Bearer "+made.Secret)
		if a.Status != http.StatusForbidden || !strings.Contains(a.Body, "the token of agents is for a remote agent, and for nothing else") {
			t.Errorf("agent: GET %s = %d %s, want 403", path, a.Status, a.Body)
		}
	}
	if a := h.Do(t, http.MethodDelete, "/api/tokens/1", "", "", admin...); a.Status != http.StatusOK {
		t.Fatalf("revoke: %d %s", a.Status, a.Body)
	}
	if a := h.Do(t, http.MethodGet, "/api/projects/1", "", "", reader...); a.Status != http.StatusUnauthorized || !strings.Contains(a.Body, "the token reader was revoked at ") {
		t.Errorf("revoked token: %d %s, want 401 with the reason", a.Status, a.Body)
	}
}

// The stream sends what happens, at once, and ends with the server.
func TestEventStream(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", servertest.Scheduled)
	if a := h.Put(t, "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`); a.Status != http.StatusOK {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/api/events?topic=site", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	if got := w.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	h.Events.Publish(events.Event{AttemptID: 1, ProjectID: 1, Workflow: "main"})
	lines := bufio.NewScanner(w.Body)
	got := ""
	for !strings.HasPrefix(got, "data: ") && lines.Scan() {
		got = lines.Text()
	}
	if !strings.Contains(got, `"id":"1"`) || !strings.Contains(got, `"sessionTime":"2024-01-01T09:00:00+09:00"`) {
		t.Errorf("event %q, want the attempt", got)
	}
	h.Events.Close()
	if _, err := io.Copy(io.Discard, w.Body); err != nil {
		t.Errorf("the stream does not end: %v", err)
	}
}
