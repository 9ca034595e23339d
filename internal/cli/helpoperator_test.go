package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/builtin"
)

// help describes an operator, however its name is written, with its options and an example that can be copied.
func TestHelpOperator(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "sh>", "sh>:"} {
		got := newConsole(t).Run("help", name)
		if got.Exit != 0 || !strings.HasPrefix(got.Stdout, "sh> runs a shell script\n") || !strings.Contains(got.Stdout, "    shell: list ") ||
			!strings.Contains(got.Stdout, "\n      +load:\n        sh>: |\n") {
			t.Errorf("help %s: exit %d:\n%s%s", name, got.Exit, got.Stdout, got.Stderr)
		}
	}
	got := newConsole(t).Run("help", "operators")
	for _, name := range builtin.Names() {
		if !strings.Contains(got.Stdout, "\n    "+name+"> ") {
			t.Errorf("help operators lacks %s>:\n%s", name, got.Stdout)
		}
		for line := range strings.SplitSeq(newConsole(t).Run("help", name).Stdout, "\n") {
			if strings.Contains(line, "](") || strings.Contains(line, "```") || strings.Contains(line, "**") {
				t.Errorf("help %s has marks of Markdown: %s", name, line)
			}
		}
	}
}
