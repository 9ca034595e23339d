package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// touched is a body that records whether it was read.
type touched struct{ read bool }

func (b *touched) Read([]byte) (int, error) {
	b.read = true
	return 0, io.ErrUnexpectedEOF
}

// A caller whose role does not allow an operation is refused before the body is read, by every operation with a body.
func TestRoleBeforeBody(t *testing.T) {
	t.Parallel()
	var s *rest.Server
	h := servertest.New(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Now: time.Now})
		s = server.New(*o)
	})
	admin := []string{"Authorization", "Basic dTpw"}
	h.Do(t, http.MethodPut, "/api/projects?revision=r&project=p", "application/gzip", servertest.Packed(t, "main.dig", servertest.Scheduled), admin...)
	bearers := map[string]string{}
	for _, body := range []string{`{"name":"reader","role":"read"}`, `{"name":"reader of one","role":"read","project":"p"}`, `{"name":"agent","role":"agent"}`} {
		var made struct{ Name, Secret string }
		if a := h.Do(t, http.MethodPost, "/api/tokens", "application/json", body, admin...); json.Unmarshal([]byte(a.Body), &made) != nil || made.Secret == "" {
			t.Fatalf("make a token: %d %s", a.Status, a.Body)
		}
		bearers[made.Name] = made.Secret
	}
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody *struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(h.Do(t, http.MethodGet, "/api/openapi.json", "", "", admin...).Body), &document); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for path, methods := range document.Paths {
		for method, operation := range methods {
			if operation.RequestBody == nil || path == "/api/login" { // anybody may sign in
				continue
			}
			for contentType := range operation.RequestBody.Content {
				for name, secret := range bearers {
					if name == "agent" && strings.HasPrefix(path, "/api/agents") {
						continue // the role allows it
					}
					body := &touched{}
					target := strings.NewReplacer("{id}", "1", "{name}", "main", "{key}", "k").Replace(path) + "?project=p&revision=r2"
					r := httptest.NewRequestWithContext(t.Context(), strings.ToUpper(method), target, body)
					r.Header.Set("Content-Type", contentType)
					r.Header.Set("Content-Encoding", "gzip")
					r.Header.Set("Authorization", "Bearer "+secret)
					w := httptest.NewRecorder()
					s.ServeHTTP(w, r)
					if w.Code != http.StatusForbidden || body.read {
						t.Errorf("%s: %s %s = %d %s, body read: %v, want 403 before", name, method, path, w.Code, w.Body, body.read)
					}
					asked++
				}
			}
		}
	}
	if asked < 30 {
		t.Errorf("%d operations asked for", asked)
	}
}
