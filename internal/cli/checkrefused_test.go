package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// Digdag's check accepts a schedule that is not an object. On a terminal, check says that a push refuses it.
func TestCheckSaysWhatPushRefuses(t *testing.T) {
	t.Parallel()
	const said = "error: run may pass over what is wrong here, but push refuses it\n"
	for _, c := range []struct {
		name, file string
		terminal   bool
		want       bool
	}{
		{"on a terminal", "schedule: daily\n+a:\n  echo>: hi\n", true, true},
		{"elsewhere", "schedule: daily\n+a:\n  echo>: hi\n", false, false},
		{"a warning", "+a:\n  ech>: hi\n", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			console := newConsole(t)
			console.Write("m.dig", c.file)
			env, _, stderr := console.Env("check")
			env.Terminals = cmd.Terminals{Stderr: c.terminal}
			if code := Run(t.Context(), env); code != 0 {
				t.Errorf("check exits with %d, as Digdag's does not", code)
			}
			if got := strings.Contains(stderr.String(), said); got != c.want {
				t.Errorf("said is %v, want %v: %s", got, c.want, stderr.String())
			}
		})
	}
}
