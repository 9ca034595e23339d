package cli

import (
	"fmt"
	"log/slog"
	"testing"
)

func TestSelectDisplay(t *testing.T) {
	t.Parallel()
	both := Terminals{Stdout: true, Stderr: true}
	cases := []struct {
		name      string
		args      []string
		terminals Terminals
		terminal  string // $TERM
		want      string
		level     slog.Level
	}{
		{"terminals", nil, both, "xterm", "*cli.live", slog.LevelWarn},
		{"terminals, level given", []string{"-l", "debug"}, both, "xterm", "*cli.live", slog.LevelDebug},
		{"terminals that cannot move the cursor", nil, both, "dumb", "*cli.plain", 0},
		{"nothing known of the terminal", nil, both, "", "*cli.plain", 0},
		{"standard output is none", nil, Terminals{Stdin: true, Stderr: true}, "xterm", "*cli.plain", 0},
		{"standard error is none", nil, Terminals{Stdin: true, Stdout: true}, "xterm", "*cli.plain", 0},
		{"json", []string{"--json"}, Terminals{}, "xterm", "*cli.jsonEvents", 0},
		{"json on terminals", []string{"--json"}, both, "xterm", "*cli.jsonEvents", 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t).call(append([]string{"run", "w.dig"}, tc.args...)...)
			c.env.Terminals, c.env.Environ = tc.terminals, append(c.env.Environ, "TERM="+tc.terminal)
			got := selectDisplay(c)
			if name := fmt.Sprintf("%T", got); name != tc.want {
				t.Errorf("selectDisplay = %s, want %s", name, tc.want)
			}
			if l, ok := got.(*live); ok && l.opts.Level != tc.level {
				t.Errorf("level of the live display = %s, want %s", l.opts.Level, tc.level)
			}
		})
	}
}
