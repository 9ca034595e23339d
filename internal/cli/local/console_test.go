package local

import (
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// commandLine returns a program of the commands of this package.
func commandLine() cmd.Program {
	return cmd.Program{Explain: func(c *cmd.Call, err error) string { return c.ErrorWithFix(err) }, Commands: []cmd.Command{
		Init(), Run(), Check(), Schema(), Archive(),
	}}
}

func newConsole(t *testing.T) *clitest.Console {
	t.Helper()
	return clitest.New(t, commandLine())
}
