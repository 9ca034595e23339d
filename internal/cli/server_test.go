package cli

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// TestServer pushes a project, runs it and reads its output.
func TestServer(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "memory"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t, "database.type", database, "digdag.defaultParams", `{"who":"world"}`)
			s.Push("demo", "+a:\n  sh>: echo hello $who > out.txt; cat out.txt\n+b:\n  loop>: 3\n  _do:\n    echo>: ${i}\n")
			attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
			if got := s.Wait(attempt); got != "success" {
				t.Fatalf("attempt ended as %s: %v\n%s", got, s.States(attempt), s.Log)
			}
			c := newConsole(t)
			out := c.Run("log", attempt, "-e", s.URL)
			if !strings.Contains(out.Stdout, "\nhello world\n") || !strings.Contains(out.Stdout, "\n2\n") {
				t.Errorf("log: %s%s", out.Stdout, out.Stderr)
			}
		})
	}
}

// TestServerStops checks 3.3: running tasks end, tasks after them do not start, requests are answered
// meanwhile, and the texts are printed in order. Then the next server goes on.
func TestServerStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	s := servertest.Start(t, "database.path", filepath.Join(dir, "db"))
	s.Push("demo", "+one:\n  _parallel: true\n  +a: {sh>: 'while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n"+
		"  +b: {sh>: 'while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n+two: {echo>: after}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Eventually("two running tasks", func() bool {
		states := s.States(attempt)
		return states["+main+one+a"] == "running" && states["+main+one+b"] == "running"
	})
	s.Signals <- syscall.SIGTERM
	s.Eventually("the wait for tasks", func() bool { return strings.Contains(s.Log.String(), "Waiting for completion of 2 running tasks...") })
	if states := s.States(attempt); states["+main+two"] != "blocked" {
		t.Errorf("+main+two is %s while the server stops, want blocked", states["+main+two"])
	}
	agents := func() string { return newConsole(t).Run("agents", "-e", s.URL).Stdout }
	s.Eventually("an agent that takes nothing new", func() bool { return strings.Contains(agents(), "state: draining\n") })
	waiting := s.StartAttempt("1", "2024-01-02T00:00:00Z")
	s.Eventually("why a task waits for an agent", func() bool {
		return strings.Contains(newConsole(t).Run("why", waiting, "+one+a", "-e", s.URL).Stdout, "no_agent: no live agent serves queue `default`; agent ")
	})
	newConsole(t).Run("agents", "undrain", firstAgent(agents()), "-e", s.URL)
	s.Eventually("an agent that takes nothing new still", func() bool { return strings.Contains(agents(), "state: draining\n") })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-s.Ended; err != nil {
		t.Errorf("server: %v", err)
	}
	s.Ended <- nil
	at := 0
	for _, line := range []string{
		"Started shutdown process", "Closing HTTP listening sockets", "Waiting for completion of running HTTP requests...",
		"Shutting down HTTP worker threads", "Shutting down system", "Shutdown completed",
	} {
		next := strings.Index(s.Log.String()[at:], line)
		if next < 0 {
			t.Fatalf("%q is missing, or comes too early:\n%s", line, s.Log)
		}
		at += next
	}
	next := servertest.Start(t, "database.path", filepath.Join(dir, "db"))
	if got := next.Wait(attempt); got != "success" {
		t.Errorf("the attempt ended as %s under the next server, want success", got)
	}
}

// firstAgent returns the id of the first agent of a list.
func firstAgent(list string) string {
	_, rest, _ := strings.Cut(list, "  id: ")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

// A second signal stops the commands; their tasks run again under the next server.
func TestServerStopsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := servertest.Start(t, "database.path", filepath.Join(dir, "db"))
	mark := filepath.Join(dir, "mark")
	s.Push("demo", "+a: {sh>: 'if [ -e "+mark+" ]; then exit 0; fi; touch "+mark+"; exec sleep 600'}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Eventually("the mark", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
	s.Signals <- syscall.SIGTERM
	s.Eventually("the wait for tasks", func() bool { return strings.Contains(s.Log.String(), "Waiting for completion of 1 running tasks...") })
	s.Signals <- syscall.SIGTERM
	if err := <-s.Ended; err != nil {
		t.Errorf("server: %v\n%s", err, s.Log)
	}
	s.Ended <- nil
	next := servertest.Start(t, "database.path", filepath.Join(dir, "db"))
	if got := next.Wait(attempt); got != "success" {
		t.Errorf("the attempt ended as %s under the next server, want success", got)
	}
}

// A second server on the same database is refused.
func TestServerIsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	servertest.Start(t, "database.path", dir)
	c := newConsole(t)
	out := c.Run("server", "--database", dir, "--port", "0")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "another server or run uses the database in "+dir) {
		t.Errorf("second server: exit %d, %s", out.Exit, out.Stderr)
	}
}

// A server whose port is taken leaves nothing behind: no folder, no key of secrets, no database, no access log.
func TestServerPortTaken(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // nothing comes of it
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"server", "--port", port},
		{"server", "--port", "0", "--admin-port", port},
		{"scheduler", "--port", port},
	} {
		c := newConsole(t)
		if args[0] == "scheduler" {
			c.Write("load.dig", "+a:\n  echo>: a\n")
		}
		before := folderNames(t, c.Dir)
		out := c.Run(append(args, "--database", "data", "--access-log", "access", "--task-log", "logs")...)
		if want := "cannot listen on 127.0.0.1:" + port; out.Exit != 1 || !strings.Contains(out.Stderr, want) {
			t.Errorf("%v: exit %d, %s, want %q", args, out.Exit, out.Stderr, want)
		}
		if after := folderNames(t, c.Dir); !slices.Equal(after, before) {
			t.Errorf("%v: the folder has %q, want %q", args, after, before)
		}
	}
}

func folderNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// TestServerOptions checks the complaints of 1.9.4, and that a public address needs authentication.
func TestServerOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		says string
	}{
		{nil, "--database, --memory, or --config option is required"},
		{[]string{"--memory", "--database", "x"}, "Setting both --database and --memory is invalid"},
		{[]string{"--memory", "--bind", "0.0.0.0"}, "server.insecure"},
		{[]string{"--memory", "-X", "database.typo=1", "--port", "99999"}, "server.port"},
	} {
		out := newConsole(t).Run(append([]string{"server"}, tc.args...)...)
		if out.Exit != 1 || !strings.Contains(out.Stderr, tc.says) {
			t.Errorf("server %v: exit %d, %s, want %q", tc.args, out.Exit, out.Stderr, tc.says)
		}
	}
}
