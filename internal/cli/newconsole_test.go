package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

func newConsole(t *testing.T) *clitest.Console { t.Helper(); return clitest.New(t, commandLine()) }

// wantRefused checks that a command line about a server is refused before any request, with a text in its complaint.
func wantRefused(t *testing.T, args, want string) {
	t.Helper()
	got := newConsole(t).Run(append(strings.Fields(args), "-e", "http://127.0.0.1:1")...)
	if got.Exit != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, want) {
		t.Errorf("%s = %d, %q, %q, want 1 and %q", args, got.Exit, got.Stdout, got.Stderr, want)
	}
}
