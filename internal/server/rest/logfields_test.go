package rest_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// lines is the log of a server.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) split() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n")
}

// The log says who has changed projects, secrets and schedules. It has no values of secrets, and no lines for dry runs and
// refused requests.
func TestChangesAreLogged(t *testing.T) {
	t.Parallel()
	log := &lines{}
	h := servertest.New(t, func(o *server.Options) {
		o.REST.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case slog.TimeKey, slog.LevelKey, "size_bytes", "next_session_time", "next_run_time":
				return slog.Attr{}
			}
			return a
		}}))
	})
	const daily = "schedule:\n  daily>: 01:00:00\n+a:\n  echo>: a\n"
	post := func(path, body string) {
		if a := h.Do(t, http.MethodPost, path, "application/json", body); a.Status != http.StatusOK {
			t.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
		}
	}
	h.Push(t, "project=p&revision=r1", "main.dig", daily)
	h.Push(t, "project=p&revision=r1", "main.dig", daily) // a conflict
	h.Put(t, "/api/projects/1/secrets/pg.password", `{"value":"hunter2"}`)
	h.Put(t, "/api/projects/9/secrets/pg.password", `{"value":"hunter2"}`) // not there
	h.Do(t, http.MethodDelete, "/api/projects/1/secrets/pg.password", "", "")
	h.Do(t, http.MethodDelete, "/api/projects/1/secrets/pg.password", "", "") // it is not there any more
	post("/api/schedules/1/disable", "")
	post("/api/schedules/1/enable", "")
	post("/api/schedules/1/skip", `{"count":1,"fromTime":"2030-01-01T00:00:00Z","dryRun":true}`)
	post("/api/schedules/1/skip", `{"count":1,"fromTime":"2030-01-01T00:00:00Z","dryRun":false}`)
	h.Do(t, http.MethodDelete, "/api/projects/1", "", "")
	want := []string{
		`msg="revision pushed" project=p revision=r1 workflows=1 actor=anonymous`,
		`msg="secret set" project=p key=pg.password actor=anonymous`,
		`msg="secret deleted" project=p key=pg.password actor=anonymous`,
		`msg="schedule disabled" project=p workflow=main actor=anonymous`,
		`msg="schedule enabled" project=p workflow=main actor=anonymous`,
		`msg="schedule moved" project=p workflow=main actor=anonymous`,
		`msg="project deleted" project=p actor=anonymous`,
	}
	if diff := cmp.Diff(want, log.split()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
