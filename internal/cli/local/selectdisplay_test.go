package local

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/runview/live"
)

func TestSelectDisplay(t *testing.T) {
	t.Parallel()
	both := cmd.Terminals{Stdout: true, Stderr: true}
	cases := []struct {
		name      string
		args      []string
		terminals cmd.Terminals
		terminal  string // $TERM
		want      string
		level     slog.Level
	}{
		{"terminals", nil, both, "xterm", "*live.View", slog.LevelWarn},
		{"terminals, level given", []string{"-l", "debug"}, both, "xterm", "*live.View", slog.LevelDebug},
		{"terminals that cannot move the cursor", nil, both, "dumb", "*runview.Plain", 0},
		{"nothing known of the terminal", nil, both, "", "*runview.Plain", 0},
		{"standard output is none", nil, cmd.Terminals{Stdin: true, Stderr: true}, "xterm", "*runview.Plain", 0},
		{"standard error is none", nil, cmd.Terminals{Stdin: true, Stdout: true}, "xterm", "*runview.Plain", 0},
		{"json", []string{"--json"}, cmd.Terminals{}, "xterm", "*runview.JSON", 0},
		{"json on terminals", []string{"--json"}, both, "xterm", "*runview.JSON", 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t).Call(append([]string{"run", "w.dig"}, tc.args...)...)
			c.Env.Terminals, c.Env.Environ = tc.terminals, append(c.Env.Environ, "TERM="+tc.terminal)
			got := selectDisplay(c)
			if name := fmt.Sprintf("%T", got); name != tc.want {
				t.Errorf("selectDisplay = %s, want %s", name, tc.want)
			}
			if _, ok := got.(*live.View); ok && cmd.LiveOptionsOf(c).Level != tc.level {
				t.Errorf("level of the live display = %s, want %s", cmd.LiveOptionsOf(c).Level, tc.level)
			}
		})
	}
}
