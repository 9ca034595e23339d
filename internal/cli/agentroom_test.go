package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// An agent that cannot write files of tasks gives a task back, once, and takes nothing more; another agent runs it
// at once, and the attempt succeeds. This holds for a server's own agent and for one in another process.
func TestAgentWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		remote bool
	}{{"the server's own", false}, {"remote", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := servertest.Start(t, "tmpdir", dir, "agent.heartbeat-interval", "1")
			log := s.Log
			if row.remote {
				dir = t.TempDir()
				s = servertest.Start(t, "agent.enabled", "false")
				log = servertest.Connect(t, s, "tmpdir", dir).Log
				s.Eventually("the agent", func() bool { return strings.Contains(log.String(), "agent connected") })
			}
			places, err := filepath.Glob(filepath.Join(dir, "trowel-workspaces-*", "0", "work"))
			if err != nil || len(places) != 1 {
				t.Fatalf("folders of workspaces: %v, %v, want one", places, err)
			}
			if err := errors.Join(os.RemoveAll(places[0]), os.WriteFile(places[0], nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			s.Push("demo", "+a: {sh>: echo done}\n")
			attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
			s.Eventually("the lack of room", func() bool { return strings.Contains(log.String(), "no room for the files of tasks") })
			s.Eventually("the agent's rest", func() bool {
				return strings.Contains(newConsole(t).Run("agents", "-e", s.URL).Stdout, "  state: resting (")
			})
			servertest.Connect(t, s, "agent.id", "roomy")
			if got := s.Wait(attempt); got != "success" {
				t.Errorf("the attempt ended as %s, want success: %v\n%s", got, s.States(attempt), log)
			}
			history := newConsole(t).Run("history", attempt, "-e", s.URL).Stdout
			if n := strings.Count(history, "running to ready (release)"); n != 1 {
				t.Errorf("the task was given back %d times, want once: %s", n, history)
			}
			if row.remote && !strings.Contains(s.Log.String(), "agent takes no tasks for a while") {
				t.Errorf("the server does not say why the agent takes nothing: %s", s.Log)
			}
		})
	}
}
