package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// Commands in hints reach the server that the command line names, in the user's own spelling.
func TestSameServer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, want string }{
		{"attempts", "trowel log 1"},
		{"attempts -e http://h:1", "trowel log 1 -e http://h:1"},
		{"attempts --endpoint h/trowel", "trowel log 1 --endpoint h/trowel"},
		{"attempts --endpoint=http://[::1]:2", "trowel log 1 --endpoint 'http://[::1]:2'"},
		{"attempts -e h -c a.conf", "trowel log 1 -e h -c a.conf"},
		{"attempts --config a.conf", "trowel log 1 --config a.conf"},
		{"-c a.conf attempts", "trowel log 1 -c a.conf"},
		{"attempts -Xclient.http.endpoint=h -Xa=b", "trowel log 1 -X client.http.endpoint=h"},
		{"attempts -X client.http.endpoint=h -e i", "trowel log 1 -e i"},
		{"attempts -e h --basic-auth u:secret --header a=secret", "trowel log 1 -e h"},
		{"attempts -e h --token secret", "trowel log 1 -e h"},
	} {
		c := newConsole(t).Call(strings.Fields(tc.args)...)
		if got := c.Hinted("log 1"); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.args, got, tc.want)
		}
		if got := cmd.ServerCommand(c, "log", "1"); got != tc.want {
			t.Errorf("%s: the command of a start is %s, want %s", tc.args, got, tc.want)
		}
		if got, want := c.HintedToPeople("log 1"), "trowel log 1"; got != want { // Digdag's text
			t.Errorf("%s without a terminal: %s, want %s", tc.args, got, want)
		}
		c.Env.Terminals.Stderr = true
		if got := c.HintedToPeople("log 1"); got != tc.want {
			t.Errorf("%s for people: %s, want %s", tc.args, got, tc.want)
		}
	}
}

// Hints have the options that name the server, and names in them are quoted.
func TestHintsFindTheServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "database.type", "memory")
	s.Push("p", "+w{x}:\n  +fails:\n    fail>: no\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00+00:00")
	s.Wait(attempt)
	for _, tc := range []struct{ args, want string }{
		{"attempts --page-size 1", "`trowel attempts --last-id ID -e URL`"},
		{"attempts", "`trowel tasks ID -e URL` shows which tasks failed"},
		{"attempts --project nosuch", "fix: `trowel projects -e URL` lists"},
		{"attempts --project p --since 2099-01-01", "`trowel attempts -e URL` shows the newest of all"},
		{"sessions --page-size 1", "`trowel sessions --last-id ID -e URL`"},
		{"sessions p nosuch", "`trowel workflows p -e URL` lists"},
		{"projects --count 1", "`trowel projects --last-id 1 -e URL`"},
		{"workflows --count 1", "`trowel workflows --last-id 1 -e URL`"},
		{"workflows", "`trowel workflows <project-name> <name> -e URL`"},
		{"tasks ID", "`trowel log ID '+main+w{x}+fails' -e URL` shows"},
		{"log ID +nosuch", "`trowel tasks ID -e URL` lists"},
		{"attempt 99999", "fix: `trowel attempts -e URL` lists"},
		{"retry ID", "trowel retry ID --latest-revision --resume -e URL\n"},
		{"start p main --session 2024-01-01", "use `trowel retry ID --latest-revision --all -e URL` command"},
		{"start p main --session 2024-01-02", " -e URL` to show session status"},
		{"kill ID", "`trowel attempt ID -e URL` shows"},
		{"agents show", "`trowel agents -e URL` shows them"},
		{"why ID", "trowel retry ID --latest-revision --resume -e URL\n"},
	} {
		c := newConsole(t)
		env, stdout, stderr := c.Env(append(strings.Fields(strings.ReplaceAll(tc.args, "ID", attempt)), "-e", s.URL)...)
		env.Terminals = cmd.Terminals{Stdout: true, Stderr: true}
		exit := Run(t.Context(), env)
		want := strings.NewReplacer("ID", attempt, "URL", s.URL).Replace(tc.want)
		if out := stdout.String() + stderr.String(); !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, want %q in\n%s", tc.args, exit, want, out)
		}
	}
}
