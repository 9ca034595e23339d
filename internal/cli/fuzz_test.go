package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// FuzzArguments parses any arguments, one per line. Nothing panics. What is
// refused is refused with a complaint. What is accepted has a command, as many arguments as it
// takes, none of them empty, and at most one of each option that may not be repeated.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		"run\nx.dig\n-p\na=1,2", "push\n--nope", "-c\n\nversion", "secrets\n--set\n-X", "\"\n--\n-", "-Xa\n-X=",
		"check\n--param=,=", "run\nx\n-dE\n--session=daily\n-t\nlast", "init\n--\n-x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		c, err := cmd.Read(cmd.Env{Args: append([]string{"trowel"}, args...)}, commandLine())
		if err != nil {
			if _, ok := errors.AsType[*cmd.ComplaintError](err); !ok {
				t.Fatalf("read(%q): error = %v, want a complaint", args, err)
			}
			return
		}
		given := c.Args.Positional
		if len(given) < c.Command.Min || c.Command.Max >= 0 && len(given) > c.Command.Max || slices.Contains(given, "") {
			t.Errorf("read(%q): %s got the arguments %q", args, c.Command.Name, given)
		}
		for _, o := range c.Command.AllOptions() {
			if values := c.Args.List(o.Names[0]); len(values) > 1 && !o.Repeatable() {
				t.Errorf("read(%q): %s has the values %q", args, o.Names[0], values)
			}
		}
	})
}
