package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// TestServerLog checks what a server logs about attempts: start, failed tasks, kill and end, each with the
// names that users know.
func TestServerLog(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.Push("demo", "+a: {echo>: hi}\n+b: {sh>: exit 3}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	if got := s.Wait(attempt); got != "error" {
		t.Fatalf("attempt ended as %s", got)
	}
	names := "attempt_id=1 project=demo workflow=main session_time=2024-01-01T00:00:00+00:00"
	at := 0
	for _, line := range []string{
		"[INFO] (main): attempt started " + names + " cause=start actor=anonymous",
		"[WARN] (main): task failed attempt_id=1 project=demo task=+main+b try=1 error=Command failed with code 3",
		"[WARN] (main): attempt ended " + names + " status=error duration_ms=",
	} {
		s.Eventually(line, func() bool { return strings.Contains(s.Log.String()[at:], line) })
		at += strings.Index(s.Log.String()[at:], line)
	}
	if log := s.Log.String(); strings.Count(log, "task failed") != 1 {
		t.Errorf("groups that fail with a task are told of, too:\n%s", log)
	}
}
