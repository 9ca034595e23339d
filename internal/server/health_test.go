package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
)

// Probes need no secret, and learn whether the server works, but nothing else; readers learn why it does not. While
// it answers at all it is alive.
func TestHealth(t *testing.T) {
	t.Parallel()
	var broken error
	h := newHouse(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: tokens{o.REST.Store}, Now: time.Now})
		o.Health.Health = server.NewHealth(server.Part{Name: "database", Check: func(context.Context) error { return broken }})
	})
	admin := "Basic dTpw"
	bearer := func(body string) string {
		var made struct{ Secret string }
		a := h.do(t, http.MethodPost, "/api/tokens", "application/json", body, "Authorization", admin)
		if err := json.Unmarshal([]byte(a.body), &made); err != nil {
			t.Fatalf("make a token: %d %s", a.status, a.body)
		}
		return "Bearer " + made.Secret
	}
	reader, agent := bearer(`{"name":"r","role":"read"}`), bearer(`{"name":"a","role":"agent"}`)
	for _, down := range []error{nil, errors.New("disk full")} {
		broken = down
		status, short := http.StatusOK, `{"ok":true}`
		if down != nil {
			status, short = http.StatusServiceUnavailable, `{"ok":false}`
		}
		for name, header := range map[string]string{"nobody": "", "agent": agent} {
			if a := h.do(t, http.MethodGet, "/api/health", "", "", "Authorization", header); a.status != status || a.body != short {
				t.Errorf("%s, %v: %d %s, want %d %s", name, down, a.status, a.body, status, short)
			}
		}
		for name, header := range map[string]string{"admin": admin, "reader": reader} {
			a := h.do(t, http.MethodGet, "/api/health", "", "", "Authorization", header)
			if a.status != status || !strings.Contains(a.body, `"parts":[{"name":"database"`) || strings.Contains(a.body, "disk full") != (down != nil) {
				t.Errorf("%s, %v: %d %s, want %d with the parts", name, down, a.status, a.body, status)
			}
		}
		if a := h.do(t, http.MethodGet, "/api/health/live", "", ""); a.status != http.StatusOK || a.body != `{"ok":true}` {
			t.Errorf("live, %v: %d %s", down, a.status, a.body)
		}
	}
	for _, header := range []string{"Basic eDp5", "Bearer trw_x"} {
		if a := h.do(t, http.MethodGet, "/api/health", "", "", "Authorization", header); a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", header, a.status)
		}
	}
	var document struct {
		Paths map[string]struct {
			Get struct{ Security []any }
		}
	}
	if err := json.Unmarshal([]byte(h.do(t, http.MethodGet, "/api/openapi.json", "", "", "Authorization", admin).body), &document); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/health", "/api/health/live"} {
		if s := document.Paths[path].Get.Security; s == nil || len(s) != 0 {
			t.Errorf("%s: security %v, want an empty list", path, s)
		}
	}
}

// What could not be written is not well until something is, and a probe writes only if nobody else has done so for
// ten seconds.
func TestHealthWrites(t *testing.T) {
	t.Parallel()
	var w server.Writes
	full := errors.New("disk full")
	now, probes := time.Now(), 0
	var outcome error
	check := func() error {
		return w.Check(t.Context(), now, func(context.Context) {
			probes++
			w.Note(now, outcome)
		})
	}
	for _, step := range []struct {
		name    string
		after   time.Duration
		written bool // by somebody
		outcome error
		want    error
		probes  int
	}{
		{"at first", 0, false, nil, nil, 1},
		{"again", 9 * time.Second, false, full, nil, 1},
		{"a write fails", 0, true, full, full, 1},
		{"still", 9 * time.Second, false, nil, full, 1},
		{"ten seconds later", time.Second, false, full, full, 2},
		{"at once again", 0, false, nil, full, 2},
		{"another write succeeds", time.Second, true, nil, nil, 2},
		{"long after", time.Hour, false, full, full, 3},
		{"there is room", 10 * time.Second, false, nil, nil, 4},
	} {
		now, outcome = now.Add(step.after), step.outcome
		if step.written {
			w.Note(now, outcome)
		}
		if err := check(); !errors.Is(err, step.want) || err == nil != (step.want == nil) || probes != step.probes {
			t.Errorf("%s: %v after %d probes, want %v after %d", step.name, err, probes, step.want, step.probes)
		}
	}
}
