package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

// TestCheckVerdict: on a terminal, check says that nothing was found; elsewhere it prints what Digdag prints.
func TestCheckVerdict(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		terminal   bool
		want       bool
	}{
		{"nothing found", "+a:\n  echo>: a\n", true, true},
		{"nothing found, no terminal", "+a:\n  echo>: a\n", false, false},
		{"a finding", "+a:\n  echo>: a\n  _retri: 1\n", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Write("main.dig", tc.file)
			env, stdout, stderr := c.Env("check")
			env.Terminals.Stdout, env.Terminals.Stderr = tc.terminal, tc.terminal
			exit := Run(t.Context(), env)
			if got := strings.HasSuffix(stdout.String(), "\n"+"No mistakes found."+"\n"); exit != 0 || got != tc.want {
				t.Errorf("check: exit %d, verdict %v, want 0 and %v\n%s%s", exit, got, tc.want, stdout, stderr)
			}
		})
	}
}

// TestCheckOfMissing: people are warned about a name that no workflow has, which Digdag's check ignores.
func TestCheckOfMissing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, argument string
		terminal       bool
		want           string
	}{
		{"there", "main.dig", true, ""},
		{"there, by name", "main", true, ""},
		{"missing", "mian.dig", true, "warning: the project has no workflow mian; check looks at the whole project\nthe workflows are: main\n\n"},
		{"missing, no terminal", "mian.dig", false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Write("main.dig", "+a:\n  echo>: a\n")
			env, _, stderr := c.Env("check", tc.argument)
			env.Terminals.Stderr = tc.terminal
			exit := Run(t.Context(), env)
			if got := strings.TrimPrefix(stderr.String(), clitest.TestBanner); exit != 0 || got != tc.want {
				t.Errorf("check %s: exit %d, %q, want 0, %q", tc.argument, exit, got, tc.want)
			}
		})
	}
}
