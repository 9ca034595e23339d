package cli

import (
	"strings"
	"testing"
)

// As in Digdag, a day that its month does not have means the last day of the month. People are warned.
func TestOtherDay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, want string }{
		{"run w.dig --session 2026-02-30", "warning: --session 2026-02-30: there is no such day, it is taken for 2026-02-28\n"},
		{"run w.dig -t 2026-02-28", ""},
		{"run w.dig --session daily", ""},
	} {
		for _, terminal := range []bool{true, false} {
			c := newConsole(t)
			c.Write("w.dig", "+a:\n  echo>: a\n")
			env, _, stderr := c.Env(strings.Fields(tc.args)...)
			env.Terminals.Stderr = terminal
			exit := Run(t.Context(), env)
			if got := strings.Contains(stderr.String(), "warning: "); exit != 0 || got != (terminal && tc.want != "") || got && !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("%s, terminal %t: exit %d, %q, want 0 and %q", tc.args, terminal, exit, stderr, tc.want)
			}
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"2026-04-31 10:00:00", "warning: --from 2026-04-31 10:00:00: there is no such day, it is taken for 2026-04-30\n"},
		{"2026-04-30 24:00:00", ""},
		{"2026-04-30 23:59:59", ""},
	} {
		env, _, stderr := newConsole(t).Env("backfill", "1", "--from", tc.text, "-e", "http://127.0.0.1:1")
		env.Terminals.Stderr = true
		Run(t.Context(), env)
		if got := stderr.String(); strings.Contains(got, "warning: ") != (tc.want != "") || !strings.Contains(got, tc.want) {
			t.Errorf("backfill --from %s: %q, want %q", tc.text, got, tc.want)
		}
	}
}
