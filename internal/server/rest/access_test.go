package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Callers without credentials may do nothing. Readers only read. Callers of one project see no other.
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
