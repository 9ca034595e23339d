package health_test

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
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Probes need no credentials, and learn only whether the server works. Readers learn why it does not. It is alive as long
// as it answers.
func TestHealth(t *testing.T) {
	t.Parallel()
	var broken error
	h := servertest.New(t, func(o *server.Options) {
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Now: time.Now})
		o.Health.Health = health.New(health.Part{Name: "database", Check: func(context.Context) error { return broken }})
	})
	admin := "Basic dTpw"
	bearer := func(body string) string {
		var made struct{ Secret string }
		a := h.Do(t, http.MethodPost, "/api/tokens", "application/json", body, "Authorization", admin)
		if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
			t.Fatalf("make a token: %d %s", a.Status, a.Body)
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
			if a := h.Do(t, http.MethodGet, "/api/health", "", "", "Authorization", header); a.Status != status || a.Body != short {
				t.Errorf("%s, %v: %d %s, want %d %s", name, down, a.Status, a.Body, status, short)
			}
		}
		for name, header := range map[string]string{"admin": admin, "reader": reader} {
			a := h.Do(t, http.MethodGet, "/api/health", "", "", "Authorization", header)
			if a.Status != status || !strings.Contains(a.Body, `"parts":[{"name":"database"`) || strings.Contains(a.Body, "disk full") != (down != nil) {
				t.Errorf("%s, %v: %d %s, want %d with the parts", name, down, a.Status, a.Body, status)
			}
		}
		if a := h.Do(t, http.MethodGet, "/api/health/live", "", ""); a.Status != http.StatusOK || a.Body != `{"ok":true}` {
			t.Errorf("live, %v: %d %s", down, a.Status, a.Body)
		}
	}
	for _, header := range []string{"Basic eDp5", "Bearer trw_x"} {
		if a := h.Do(t, http.MethodGet, "/api/health", "", "", "Authorization", header); a.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", header, a.Status)
		}
	}
	var document struct {
		Paths map[string]struct {
			Get struct{ Security []any }
		}
	}
	if err := json.Unmarshal([]byte(h.Do(t, http.MethodGet, "/api/openapi.json", "", "", "Authorization", admin).Body), &document); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/health", "/api/health/live"} {
		if s := document.Paths[path].Get.Security; s == nil || len(s) != 0 {
			t.Errorf("%s: security %v, want an empty list", path, s)
		}
	}
}

// A part fails from a failed write until the next successful one. A probe writes only if nothing else has written for ten
// seconds.
func TestHealthWrites(t *testing.T) {
	t.Parallel()
	var w health.Writes
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
		written bool // by anything else
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
