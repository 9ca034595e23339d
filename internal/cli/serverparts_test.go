package cli

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// A server whose parts are switched off serves the API and events and starts attempts, which
// another server on the database drives and a remote agent of the first one runs. Neither server
// counts as an agent.
func TestServerParts(t *testing.T) {
	t.Parallel()
	var database []string
	for line := range strings.Lines(settingsOf(pgtest.Start(t).Options())) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			database = append(database, strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	front := servertest.Start(t, append([]string{"server.executor.enabled", "false", "agent.enabled", "false", "schedule.enabled", "false"}, database...)...)
	mover := servertest.Start(t, append([]string{"agent.enabled", "false"}, database...)...)
	front.Push("demo", "+a:\n  sh>: echo hello\n+b:\n  echo>: over\n")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front.URL+"/api/events?topic=project:1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	attempt := front.StartAttempt("1", "2024-01-01T00:00:00Z")
	// A server that runs nothing is not an agent, so that people see what is missing.
	front.Eventually("a task without an agent", func() bool {
		return strings.Contains(newConsole(t).Run("why", attempt, "+a", "-e", front.URL).Stdout, "no_agent: no live agent serves queue `default`")
	})
	if queues := newConsole(t).Run("queues", "-e", mover.URL).Stdout; !strings.Contains(queues, "agents: 0\n  slots: 0\n") {
		t.Errorf("queues = %s", queues)
	}
	agent := servertest.Connect(t, front, "agent.server", front.URL+","+mover.URL)
	if got := front.Wait(attempt); got != "success" {
		t.Fatalf("attempt ended as %s: %v\n%s", got, front.States(attempt), agent.Log)
	}
	out := newConsole(t).Run("log", attempt, "-e", front.URL)
	if !strings.Contains(out.Stdout, "\nhello\n") {
		t.Errorf("log: %s%s", out.Stdout, out.Stderr)
	}
	second := front.StartAttempt("1", "2024-01-02T00:00:00Z")
	if got := mover.Wait(second); got != "success" {
		t.Errorf("attempt ended as %s on the other server", got)
	}
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found && strings.Contains(data, `"status":"success"`) {
			return
		}
	}
	t.Errorf("the stream of the first server does not tell of the end: %v", lines.Err())
}
