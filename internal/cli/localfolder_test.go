package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// The local scheduler says what it refuses and where that is.
func TestSchedulerRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"schedule:\n  minutes_interval>: 1\n  wrong>: 1\n+a: {echo>: a}\n": "error: Parameter 'wrong>' is not used at schedule.\n\nw.dig:3:3: warning:",
		"schedule:\n  dayly>: 07:00:00\n+a: {echo>: a}\n":                  "w.dig:2:3: ",
	} {
		c := newConsole(t)
		c.Write("w.dig", text)
		got := c.Run("scheduler", "-n", "0", "-X", "tmpdir="+c.Dir)
		if got.Exit != cmd.ExitFailure || !strings.Contains(got.Stderr, want) {
			t.Errorf("exit %d, %q, want 1 and %q", got.Exit, got.Stderr, want)
		}
	}
}
