package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/server/servertest"
)

// A browser gets a page that says what the server is. It loads nothing else.
func TestLanding(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	a := h.Get(t, "/")
	for _, part := range []string{"Trowel 0.1.0", `href="/api/openapi.json"`, "trowel attempts"} {
		if a.Status != http.StatusOK || !strings.Contains(a.Body, part) {
			t.Errorf("GET / = %d %s, want %s in it", a.Status, a.Body, part)
		}
	}
	if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("policy %q", policy)
	}
	for _, outside := range []string{"http:", "https:", "//", "<script", "<style", "style=", "src="} {
		if strings.Contains(a.Body, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
	for path, want := range map[string]int{"/index.html": 404, "//": 404, "/nope": 404} {
		if a := h.Get(t, path); a.Status != want {
			t.Errorf("GET %s = %d, want %d", path, a.Status, want)
		}
	}
	if a := h.Do(t, http.MethodPost, "/", "", ""); a.Status != http.StatusMethodNotAllowed {
		t.Errorf("POST / = %d, want 405", a.Status)
	}
}
