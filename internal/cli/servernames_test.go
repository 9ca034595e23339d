package cli

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// TestUnprintableNames checks that a server refuses new names with control characters, wherever they are given, and
// says what is wrong with them.
func TestUnprintableNames(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.Push("demo", "schedule:\n  daily>: 00:00:00\n+a:\n  echo>: a\n")
	for name, told := range map[string]string{
		"a\x1b]0;T\a": "U+001B at its byte 2", "a\n  status: success": "U+000A", "\u009b2J": "U+009B", "a\u202eb": "U+202E", "a\x7f": "U+007F",
	} {
		quoted := param.JSON(param.Of("n", name))
		quoted = quoted[len(`{"n":`) : len(quoted)-1]
		for _, ask := range []struct{ what, method, path, body string }{
			{"a project", "PUT", "/api/projects?revision=r2&project=" + url.QueryEscape(name), "archive"},
			{"a revision", "PUT", "/api/projects?project=demo&revision=" + url.QueryEscape(name), "archive"},
			{"an attempt", "PUT", "/api/attempts", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{},"retryAttemptName":` + quoted + `}`},
			{"an attempt", "POST", "/api/schedules/1/backfill", `{"fromTime":"2024-01-01T00:00:00Z","attemptName":` + quoted + `,"dryRun":false}`},
			{"a pool", "PUT", "/api/pools/" + url.PathEscape(name), `{"slots":1}`},
		} {
			status, text := sendNamed(s, ask.method, ask.path, ask.body)
			if status != http.StatusBadRequest || !strings.Contains(text, "the name of "+ask.what) {
				t.Errorf("%s %q: %d %s, want 400 with what is wrong", ask.what, name, status, text)
			}
			if ask.what != "a pool" && !strings.Contains(text, told) { // pools have letters and digits alone
				t.Errorf("%s %q: %s, want %s", ask.what, name, text, told)
			}
		}
	}
	if _, text := s.Request("GET", "/api/attempts", "", ""); strings.TrimSpace(text) != `{"attempts":[]}` {
		t.Errorf("attempts = %s, want none", text)
	}
}

// sendNamed sends JSON, or an archive with a workflow in place of the word.
func sendNamed(s *servertest.Server, method, path, body string) (int, string) {
	s.T.Helper()
	if body != "archive" {
		return s.Request(method, path, "application/json", body)
	}
	c := newConsole(s.T)
	c.Write("main.dig", "+a:\n  echo>: a\n")
	if out := c.Run("archive", "-o", "a.tar.gz"); out.Exit != 0 {
		s.T.Fatalf("archive: %s%s", out.Stdout, out.Stderr)
	}
	return s.Request(method, path, "application/gzip", c.Read("a.tar.gz"))
}
