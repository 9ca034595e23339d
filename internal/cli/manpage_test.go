package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// The manual page has all commands and their options, and man can show it.
func TestManual(t *testing.T) {
	t.Parallel()
	got := newConsole(t).Run("help", "--man")
	if got.Exit != 0 {
		t.Fatalf("exit %d: %s", got.Exit, got.Stderr)
	}
	commands := table()
	for i := range commands {
		for _, l := range commands[i].Lines {
			if commands[i].Run != nil && !strings.Contains(got.Stdout, "\n"+cmd.RoffBold(l.Form)+"\n") {
				t.Errorf("the manual lacks %q", l.Form)
			}
		}
		for _, o := range commands[i].Options {
			if commands[i].Run != nil && !strings.Contains(got.Stdout, "\n"+cmd.RoffBold(o.Label())+"\n") {
				t.Errorf("the manual lacks %s of %s", o.Label(), commands[i].Name)
			}
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no groff to read it with")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(got.Stdout)
	if output, err := cmd.CombinedOutput(); err != nil || len(output) > 0 {
		t.Errorf("groff: %v\n%s", err, output)
	}
}
