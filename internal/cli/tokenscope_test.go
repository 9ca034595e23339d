package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Callers with a token for one project are told so if they look for another one, by name or id, or push to it.
func TestTokenScope(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodPut && r.URL.Path == "/api/projects":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"ci is not allowed to do this: the token is for the project tiny","status":403}`)
		case r.URL.Path == "/api/projects" && r.URL.Query().Get("name") == "":
			_, _ = io.WriteString(w, `{"projects":[{"id":"1","name":"tiny"}]}`)
		case r.URL.Path == "/api/projects":
			_, _ = io.WriteString(w, `{"projects":[]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message":"resource not found (the token is for the project tiny)","status":404}`)
		}
	}))
	t.Cleanup(server.Close)
	for _, args := range []string{
		"start etl w --session now", "workflows etl", "workflows etl w", "projects etl", "schedules etl --json", "attempts --project etl", "sessions etl",
		"secrets --project etl", "delete etl --force", "download etl", "kill 9", "attempt 9", "retry 9 --latest-revision --resume", "log 9", "tasks 9", "push etl --revision r",
	} {
		console := newConsole(t)
		got := console.Run(append(strings.Fields(args), "--disable-version-check", "-e", server.URL)...)
		if got.Exit != 1 || !strings.Contains(got.Stderr, "the token is for the project tiny") {
			t.Errorf("%s: exit %d: %s", args, got.Exit, got.Stderr)
		}
	}
}
