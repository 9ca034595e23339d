package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// TestBadRequests checks that invalid requests get an error with a JSON body that says what is wrong, and store nothing.
//
//nolint:paralleltest,tparallel // the store is checked after all requests
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

// A refused push names all errors of all files with their lines.
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

// broken is a store whose database does not answer.
type broken struct{ trowel.Store }

func (broken) View(context.Context, func(trowel.Tx) error) error   { return trowel.ErrUnavailable }
func (broken) Update(context.Context, func(trowel.Tx) error) error { return trowel.ErrUnavailable }

// While the database does not answer, requests get 503 with a reason.
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
