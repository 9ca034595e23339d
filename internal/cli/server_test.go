package cli

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestServer pushes a project, runs it and reads its output.
func TestServer(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "memory"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "database.type", database, "digdag.defaultParams", `{"who":"world"}`)
			s.push("demo", "+a:\n  sh>: echo hello $who > out.txt; cat out.txt\n+b:\n  loop>: 3\n  _do:\n    echo>: ${i}\n")
			attempt := s.start("1", "2024-01-01T00:00:00Z")
			if got := s.status(attempt); got != "success" {
				t.Fatalf("attempt ended as %s: %v\n%s", got, s.states(attempt), s.log)
			}
			c := newConsole(t)
			out := c.run("log", attempt, "-e", s.url)
			if !strings.Contains(out.stdout, "\nhello world\n") || !strings.Contains(out.stdout, "\n2\n") {
				t.Errorf("log: %s%s", out.stdout, out.stderr)
			}
		})
	}
}

// TestServerStops checks 3.3: running tasks end, tasks after them do not start, requests are answered
// meanwhile, and the texts come in their order. In the end the next server goes on.
func TestServerStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	s := serve(t, "database.path", filepath.Join(dir, "db"))
	s.push("demo", "+one:\n  _parallel: true\n  +a: {sh>: 'while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n"+
		"  +b: {sh>: 'while [ ! -e "+gate+" ]; do sleep 0.05; done'}\n+two: {echo>: after}\n")
	attempt := s.start("1", "2024-01-01T00:00:00Z")
	s.eventually("two running tasks", func() bool {
		states := s.states(attempt)
		return states["+main+one+a"] == "running" && states["+main+one+b"] == "running"
	})
	s.signals <- syscall.SIGTERM
	s.eventually("the wait for tasks", func() bool { return strings.Contains(s.log.String(), "Waiting for completion of 2 running tasks...") })
	if states := s.states(attempt); states["+main+two"] != "blocked" {
		t.Errorf("+main+two is %s while the server stops, want blocked", states["+main+two"])
	}
	agents := func() string { return newConsole(t).run("agents", "-e", s.url).stdout }
	s.eventually("an agent that takes nothing new", func() bool { return strings.Contains(agents(), "state: draining\n") })
	waiting := s.start("1", "2024-01-02T00:00:00Z")
	s.eventually("why a task waits for an agent", func() bool {
		return strings.Contains(newConsole(t).run("why", waiting, "+one+a", "-e", s.url).stdout, "no_agent: no live agent serves queue `default`; agent ")
	})
	newConsole(t).run("agents", "undrain", firstAgent(agents()), "-e", s.url)
	s.eventually("an agent that takes nothing new still", func() bool { return strings.Contains(agents(), "state: draining\n") })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("server: %v", err)
	}
	s.ended <- nil
	at := 0
	for _, line := range []string{
		"Started shutdown process", "Closing HTTP listening sockets", "Waiting for completion of running HTTP requests...",
		"Shutting down HTTP worker threads", "Shutting down system", "Shutdown completed",
	} {
		next := strings.Index(s.log.String()[at:], line)
		if next < 0 {
			t.Fatalf("%q is missing, or comes too early:\n%s", line, s.log)
		}
		at += next
	}
	next := serve(t, "database.path", filepath.Join(dir, "db"))
	if got := next.status(attempt); got != "success" {
		t.Errorf("the attempt ended as %s under the next server, want success", got)
	}
}

// firstAgent is the id of the first agent of a list.
func firstAgent(list string) string {
	_, rest, _ := strings.Cut(list, "  id: ")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

// A second signal stops the commands; their tasks run again under the next server.
func TestServerStopsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "database.path", filepath.Join(dir, "db"))
	mark := filepath.Join(dir, "mark")
	s.push("demo", "+a: {sh>: 'if [ -e "+mark+" ]; then exit 0; fi; touch "+mark+"; exec sleep 600'}\n")
	attempt := s.start("1", "2024-01-01T00:00:00Z")
	s.eventually("the mark", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
	s.signals <- syscall.SIGTERM
	s.eventually("the wait for tasks", func() bool { return strings.Contains(s.log.String(), "Waiting for completion of 1 running tasks...") })
	s.signals <- syscall.SIGTERM
	if err := <-s.ended; err != nil {
		t.Errorf("server: %v\n%s", err, s.log)
	}
	s.ended <- nil
	next := serve(t, "database.path", filepath.Join(dir, "db"))
	if got := next.status(attempt); got != "success" {
		t.Errorf("the attempt ended as %s under the next server, want success", got)
	}
}

// A second server on the same database is told that there is one.
func TestServerIsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, "database.path", dir)
	c := newConsole(t)
	out := c.run("server", "--database", dir, "--port", "0")
	if out.exit != 1 || !strings.Contains(out.stderr, "another server or run uses the database in "+dir) {
		t.Errorf("second server: exit %d, %s", out.exit, out.stderr)
	}
}

// A server whose port is taken leaves nothing behind: no folder, no key of secrets, no database, no file of the access log.
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
			c.write("load.dig", "+a:\n  echo>: a\n")
		}
		before := folderNames(t, c.dir)
		out := c.run(append(args, "--database", "data", "--access-log", "access", "--task-log", "logs")...)
		if want := "cannot listen on 127.0.0.1:" + port; out.exit != 1 || !strings.Contains(out.stderr, want) {
			t.Errorf("%v: exit %d, %s, want %q", args, out.exit, out.stderr, want)
		}
		if after := folderNames(t, c.dir); !slices.Equal(after, before) {
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
		out := newConsole(t).run(append([]string{"server"}, tc.args...)...)
		if out.exit != 1 || !strings.Contains(out.stderr, tc.says) {
			t.Errorf("server %v: exit %d, %s, want %q", tc.args, out.exit, out.stderr, tc.says)
		}
	}
}
