//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// asRoot skips a test where the user cannot be changed.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// reachable returns a folder that other users can pass through.
func reachable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(path, 0o711); err != nil { //nolint:gosec // others pass through
			t.Fatal(err)
		}
	}
	return dir
}

// Tasks that run as another user reach their own files and nothing of the server: no settings, no database,
// no process, and no files of other tries and revisions.
func TestCommandsAsAnotherUser(t *testing.T) {
	t.Parallel()
	asRoot(t)
	dir := reachable(t)
	data, private := filepath.Join(dir, "data"), filepath.Join(dir, "server.properties")
	if err := os.WriteFile(private, []byte("database.password = secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, "agent.command.user", "nobody", "tmpdir", dir, "database.path", data)
	pid := strconv.Itoa(os.Getpid())
	refused := func(command string) string {
		return "if " + command + " >/dev/null 2>&1; then echo reached; exit 1; fi"
	}
	s.Push("p", strings.Join([]string{
		"+user:\n  sh>: test $(id -un) = nobody && test -O . && test -O main.dig && echo x > own && test $HOME != /root",
		"+settings:\n  sh>: " + refused("cat "+private),
		"+database:\n  sh>: " + refused("ls "+data),
		"+database_file:\n  sh>: " + refused("cat "+filepath.Join(data, "trowel.db")),
		"+environment:\n  sh>: " + refused("cat /proc/"+pid+"/environ"),
		"+files:\n  sh>: " + refused("ls /proc/"+pid+"/fd"),
		"+memory:\n  sh>: " + refused("head -c 1 /proc/"+pid+"/mem"),
		"+signals:\n  sh>: " + refused("kill -0 "+pid),
		"+revisions:\n  sh>: " + refused("ls ../../revisions"),
		"+tries:\n  sh>: " + refused("ls .."),
		"+lock:\n  sh>: " + refused("rm ../../lock"),
		"+neighbour:\n  sh>: " + refused("mkdir ../x"),
		"+left:\n  _type: rb\n  ruby: [/bin/sh, -c, 'ln -s " + private + " $5']\n  script: none",
	}, "\n")+"\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Wait(attempt)
	for name, state := range s.States(attempt) {
		want := "success"
		switch name {
		case "+main":
			want = "group_error"
		case "+main+left":
			want = "error"
		}
		if state != want && !strings.Contains(name, "^") {
			t.Errorf("%s: %s, want %s", name, state, want)
		}
	}
	if _, text := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", ""); strings.Contains(text, "secret") || !strings.Contains(text, "path escapes from parent") {
		t.Errorf("a link to the settings was read: %s", text)
	}
	if t.Failed() {
		t.Log(s.Log)
	}
}

// A server warns about its files that tasks can reach although they run as another user, also about the key of secrets.
func TestServerSaysWhatTasksReach(t *testing.T) {
	t.Parallel()
	asRoot(t)
	dir := reachable(t)
	key := filepath.Join(dir, "secret.key")
	if err := errors.Join(os.WriteFile(key, []byte("MDEyMzQ1Njc4OTAxMjM0NQ=="), 0o600), os.Chmod(key, 0o644)); err != nil { //nolint:gosec // as by mistake
		t.Fatal(err)
	}
	s := servertest.Start(t, "agent.command.user", "nobody", "tmpdir", dir, "database.path", dir)
	if said := "commands of tasks reach a file that is not for them path=" + key; !strings.Contains(s.Log.String(), said) {
		t.Errorf("the log lacks %q:\n%s", said, s.Log)
	}
}

// If commands run as the user of the server, whoever pushes has its rights. The server says so once.
func TestServerSaysWhomCommandsRunAs(t *testing.T) {
	t.Parallel()
	const said = "whoever may push to a project reaches its settings"
	user := []string{"server.authenticator.basic.username", "u", "server.authenticator.basic.password", "p"}
	if s := servertest.Start(t, user...); strings.Count(s.Log.String(), said) != 1 {
		t.Errorf("with sign-in, said %d times, want once\n%s", strings.Count(s.Log.String(), said), s.Log)
	}
	if s := servertest.Start(t); strings.Contains(s.Log.String(), said) {
		t.Errorf("without sign-in, where everybody may do everything\n%s", s.Log)
	}
	if s := servertest.Start(t, append(user, "agent.enabled", "false")...); strings.Contains(s.Log.String(), said) {
		t.Errorf("without tasks\n%s", s.Log)
	}
}

// A server, an agent or a scheduler that cannot change to the user does not start.
func TestCommandUserThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"server", "there is no user", []string{"server", "--memory", "--port", "0"}},
		{"agent", "there is no user", []string{"agent", "--server", "http://127.0.0.1:1"}},
		{"scheduler", "agent.command.user is for", []string{"scheduler", "--port", "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			console := newConsole(t)
			out := console.Run(append(c.args, "-X", "agent.command.user=no-such-user", "-X", "tmpdir="+t.TempDir())...)
			if out.Exit == 0 || !strings.Contains(out.Stdout+out.Stderr, c.want) || !strings.Contains(out.Stderr, "fix: ") {
				t.Errorf("trowel %s: exit %d\n%s%s", c.name, out.Exit, out.Stdout, out.Stderr)
			}
		})
	}
	if _, _, err := config.Read(config.Settings{"agent.command.group": {Value: "users"}}); !errors.Is(err, trowel.ErrInvalid) {
		t.Errorf("a group without a user: %v, want invalid", err)
	}
}
