package cli

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// Once only later versions may write, a server lets its tasks end, begins and
// changes nothing, and ends by itself; others finish its attempts. It does not start again until this is reverted.
func TestServerOutdated(t *testing.T) {
	t.Parallel()
	opts := pgtest.Start(t).Options()
	var database []string
	for line := range strings.Lines(settingsOf(opts)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			database = append(database, strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	dir := t.TempDir()
	gate, runs := filepath.Join(dir, "gate"), filepath.Join(dir, "runs")
	s := servertest.Start(t, database...)
	s.Push("demo", "+a: {sh>: 'echo >>"+runs+"; while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n+b: {echo>: after}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Eventually("a running task", func() bool {
		text, err := os.ReadFile(runs)
		return err == nil && len(text) > 0
	})
	inTables := opts
	inTables.Schema = "trowel"
	raise := func(statement string) {
		t.Helper()
		if _, err := pgtest.Connect(t, inTables).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	raise("UPDATE writer SET lowest = 7, since = '0.7.0'")
	const sentence = "only Trowel 0.7.0 and later may write to the database (generation 7), and this program is older (generation 1)"
	s.Eventually("the wait for tasks", func() bool { return strings.Contains(s.Log.String(), "Waiting for completion of 1 running tasks...") })
	if log := s.Log.String(); !strings.Contains(log, "the server begins nothing more and ends") || !strings.Contains(log, sentence) {
		t.Errorf("the log does not say why the server ends:\n%s", log)
	}
	status, body := s.Request("PUT", "/api/attempts", "application/json", `{"workflowId": 1, "sessionTime": "2024-01-02T00:00:00Z", "params": {}}`)
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "this server changes nothing any more: "+sentence) {
		t.Errorf("start: %d %s", status, body)
	}
	if states := s.States(attempt); states["+main+a"] != "running" {
		t.Errorf("states are %v, want +a running", states)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-s.Ended; !errors.Is(err, trowel.ErrOutdated) {
		t.Errorf("server: %v, want an ErrOutdated", err)
	}
	s.Ended <- nil
	c := newConsole(t)
	c.Write("server.properties", settingsOf(opts))
	out := c.Run("server", "-c", "server.properties", "--port", "0")
	if out.Exit != 1 || !strings.Contains(out.Stderr, sentence+"\nfix: upgrade this program to 0.7.0 or later\n") {
		t.Errorf("server: exit %d, %s", out.Exit, out.Stderr)
	}
	raise("UPDATE writer SET lowest = 1, since = '0.1.0'")
	next := servertest.Start(t, database...)
	if got := next.Wait(attempt); got != "success" {
		t.Errorf("the attempt ended as %s under the next server, want success", got)
	}
	if text, err := os.ReadFile(runs); err != nil || len(text) != 1 {
		t.Errorf("+a ran %d times, want once: %v", len(text), err)
	}
}
