package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
)

// An operator is shown whatever way its name is written, with its options and an example that can be copied.
func TestHelpOperator(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "sh>", "sh>:"} {
		got := newConsole(t).run("help", name)
		if got.exit != 0 || !strings.HasPrefix(got.stdout, "sh> runs a shell script\n") || !strings.Contains(got.stdout, "    shell: list ") ||
			!strings.Contains(got.stdout, "\n      +load:\n        sh>: |\n") {
			t.Errorf("help %s: exit %d:\n%s%s", name, got.exit, got.stdout, got.stderr)
		}
	}
	got := newConsole(t).run("help", "operators")
	for _, name := range operator.Builtin(operator.Options{}).Names() {
		if !strings.Contains(got.stdout, "\n    "+name+"> ") {
			t.Errorf("help operators lacks %s>:\n%s", name, got.stdout)
		}
		for line := range strings.SplitSeq(newConsole(t).run("help", name).stdout, "\n") {
			if strings.Contains(line, "](") || strings.Contains(line, "```") || strings.Contains(line, "**") {
				t.Errorf("help %s has marks of Markdown: %s", name, line)
			}
		}
	}
}
