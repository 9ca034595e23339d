package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// A server without an agent of its own runs tasks on a remote one: with their files, secrets, parameters
// and output.
func TestAgent(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "agent.enabled", "false", "digdag.secret-encryption-key", "MDEyMzQ1Njc4OTAxMjM0NQ==")
	a := servertest.Connect(t, s)
	s.Push("demo", "+a:\n  sh>: cat main.dig; echo $S\n  _env: {S: '${secret:db.password}'}\n+b: {param_set>: , k: v}\n+c: {param_get>: , k: got}\n"+
		"+d: {require>: none, ignore_failure: false}\n")
	if status, text := s.Request("PUT", "/api/projects/1/secrets/db.password", "application/json", `{"value":"hush-hush"}`); status >= 300 {
		t.Fatalf("secret: %d %s", status, text)
	}
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	if got := s.Wait(attempt); got != "error" {
		t.Fatalf("attempt ended as %s, want error by +d: %v\n%s", got, s.States(attempt), a.Log)
	}
	states := s.States(attempt)
	if states["+main+a"] != "success" || states["+main+b"] != "success" || states["+main+c"] != "success" || states["+main+d"] != "error" {
		t.Errorf("states = %v, want errors of +d alone", states)
	}
	out := newConsole(t).Run("log", attempt, "-e", s.URL)
	for _, want := range []string{"\n********\n", "+b: {param_set>: , k: v}", "Dependent workflow does not exist"} {
		if !strings.Contains(out.Stdout, want) {
			t.Errorf("the log lacks %q: %s", want, out.Stdout)
		}
	}
}

// The first signal lets running tasks end and takes nothing new; a second one hands them back, to be run
// by the next agent.
func TestAgentEnds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		signals int
		want    string // how often the task begins
	}{{"drains", 1, "x"}, {"hands back", 2, "xx"}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t, "agent.enabled", "false")
			first := servertest.Connect(t, s)
			dir := t.TempDir()
			gate, begun := filepath.Join(dir, "gate"), filepath.Join(dir, "begun")
			s.Push("demo", "+a: {sh>: 'printf x >> "+begun+"; while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n+b: {echo>: after}\n")
			attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
			read := func() string {
				text, _ := os.ReadFile(begun)
				return string(text)
			}
			s.Eventually("the task", func() bool { return read() == "x" })
			first.Signals <- syscall.SIGTERM
			s.Eventually("the drain", func() bool { return strings.Contains(first.Log.String(), "No new tasks, waiting for 1 running ones") })
			if row.signals > 1 {
				first.Signals <- syscall.SIGTERM
			} else if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := <-first.Ended; err != nil {
				t.Errorf("agent: %v", err)
			}
			first.Ended <- nil
			if states := s.States(attempt); states["+main+b"] == "success" {
				t.Errorf("+b has run on an agent that ends: %v", states)
			}
			servertest.Connect(t, s)
			if row.signals > 1 {
				s.Eventually("the second try", func() bool { return read() == row.want })
				if err := os.WriteFile(gate, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.Wait(attempt); got != "success" || read() != row.want {
				t.Errorf("attempt ended as %s after %d begins, want success after %d", got, len(read()), len(row.want))
			}
		})
	}
}

// Mistakes on the command line are reported before anything begins.
func TestAgentComplaints(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, want string }{
		{"agent", "--server option is required"},
		{"agent --server ftp://x", `"ftp://x" is no address of a server`},
		{"agent --server http://127.0.0.1:1 --slots 0", "error: --slots must be 1 or more\n"},
		{"agent --server http://127.0.0.1:1 -X agent.max-task-threads=-1", "agent.max-task-threads = \"-1\""},
		{"agent --server http://127.0.0.1:1 --ca-cert none.pem", "read the file of --ca-cert"},
	} {
		out := newConsole(t).Run(strings.Fields(row.args)...)
		if out.Exit != 1 || !strings.Contains(out.Stderr, row.want) {
			t.Errorf("%s: exit %d, %s%s; want 1 and %q", row.args, out.Exit, out.Stdout, out.Stderr, row.want)
		}
	}
}

// An agent with a wrong token ends with the error of the server.
func TestAgentRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	out := newConsole(t).Run("agent", "--server", s.URL, "--token", "trw_wrong")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "refuses this agent: unauthorized (HTTP 401)") {
		t.Errorf("exit %d, %s%s; want 1 and the refusal", out.Exit, out.Stdout, out.Stderr)
	}
}
