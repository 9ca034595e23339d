package ops_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// A typing error in a request does not make a token that may do more, or is valid for longer, than was meant.
func TestTokenRequestIsStrict(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Now: o.REST.Now})
	})
	post := func(body string) servertest.Answer {
		return h.Do(t, http.MethodPost, "/api/tokens", "application/json", body, "Authorization", "Basic dTpw")
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
		if a := post(body); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, key) {
			t.Errorf("%s: %d %s, want 400 about %s", body, a.Status, a.Body, key)
		}
	}
	for _, body := range []string{`null`, `[]`, `{"name":"t","role":"read","project":"nope"}`, `{"name":"t","role":"read","project":1}`} {
		if a := post(body); a.Status != http.StatusBadRequest && a.Status != http.StatusNotFound {
			t.Errorf("%s: %d %s, want a refusal", body, a.Status, a.Body)
		}
	}
	if a := post(`{"name":"t","role":"read","project":null,"expiresAt":null}`); a.Status != http.StatusOK {
		t.Errorf("all keys: %d %s", a.Status, a.Body)
	}
	a := h.Do(t, http.MethodGet, "/api/tokens", "", "", "Authorization", "Basic dTpw")
	if n := strings.Count(a.Body, `"scopes"`); n != 1 {
		t.Errorf("%d tokens, want 1: %s", n, a.Body)
	}
}
