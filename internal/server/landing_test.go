package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// Who opens the server in a browser learns what it is, by a page that loads nothing.
func TestLanding(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	a := h.get(t, "/")
	for _, part := range []string{"Trowel 0.1.0", `href="/api/openapi.json"`, "trowel attempts"} {
		if a.status != http.StatusOK || !strings.Contains(a.body, part) {
			t.Errorf("GET / = %d %s, want %s in it", a.status, a.body, part)
		}
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("policy %q", policy)
	}
	for _, outside := range []string{"http:", "https:", "//", "<script", "<style", "style=", "src="} {
		if strings.Contains(a.body, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
	for path, want := range map[string]int{"/index.html": 404, "//": 404, "/nope": 404} {
		if a := h.get(t, path); a.status != want {
			t.Errorf("GET %s = %d, want %d", path, a.status, want)
		}
	}
	if a := h.do(t, http.MethodPost, "/", "", ""); a.status != http.StatusMethodNotAllowed {
		t.Errorf("POST / = %d, want 405", a.status)
	}
}
