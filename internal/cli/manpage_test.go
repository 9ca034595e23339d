package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The manual has all commands and their options, and is one that man can show.
func TestManual(t *testing.T) {
	t.Parallel()
	got := newConsole(t).run("help", "--man")
	if got.exit != 0 {
		t.Fatalf("exit %d: %s", got.exit, got.stderr)
	}
	commands := table()
	for i := range commands {
		for _, l := range commands[i].lines {
			if commands[i].run != nil && !strings.Contains(got.stdout, "\n"+roffBold(l.form)+"\n") {
				t.Errorf("the manual lacks %q", l.form)
			}
		}
		for _, o := range commands[i].options {
			if commands[i].run != nil && !strings.Contains(got.stdout, "\n"+roffBold(o.label())+"\n") {
				t.Errorf("the manual lacks %s of %s", o.label(), commands[i].name)
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
	cmd.Stdin = strings.NewReader(got.stdout)
	if output, err := cmd.CombinedOutput(); err != nil || len(output) > 0 {
		t.Errorf("groff: %v\n%s", err, output)
	}
}
