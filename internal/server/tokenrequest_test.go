package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
)

// A slip in the request of a token does not make one that may do more, or holds for longer, than was meant.
func TestTokenRequestIsStrict(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: tokens{o.REST.Store}, Now: o.REST.Now})
	})
	post := func(body string) answer {
		return h.do(t, http.MethodPost, "/api/tokens", "application/json", body, "Authorization", "Basic dTpw")
	}
	for body, key := range map[string]string{
		`{"name":"t","role":"read","projectId":"1"}`:              "projectId",
		`{"name":"t","role":"read","Project":"one"}`:              "Project",
		`{"name":"t","role":"read","expires":"2030-01-01"}`:       "expires",
		`{"name":"t","role":"read","expires_at":"2030-01-01"}`:    "expires_at",
		`{"name":"t","role":"read","project":"","scopes":["x"]}`:  "scopes",
		`{"name":"t","role":"read","project":""}`:                 "all projects",
		`{"name":"t","role":"read","project":"one","project":""}`: "all projects",
		`{"name":"t","role":"read","projects":["one"],"role":""}`: "projects",
	} {
		if a := post(body); a.status != http.StatusBadRequest || !strings.Contains(a.body, key) {
			t.Errorf("%s: %d %s, want 400 about %s", body, a.status, a.body, key)
		}
	}
	for _, body := range []string{`null`, `[]`, `{"name":"t","role":"read","project":"nope"}`, `{"name":"t","role":"read","project":1}`} {
		if a := post(body); a.status != http.StatusBadRequest && a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s, want a refusal", body, a.status, a.body)
		}
	}
	if a := post(`{"name":"t","role":"read","project":null,"expiresAt":null}`); a.status != http.StatusOK {
		t.Errorf("all keys: %d %s", a.status, a.body)
	}
	a := h.do(t, http.MethodGet, "/api/tokens", "", "", "Authorization", "Basic dTpw")
	if n := strings.Count(a.body, `"scopes"`); n != 1 {
		t.Errorf("%d tokens, want 1: %s", n, a.body)
	}
}
