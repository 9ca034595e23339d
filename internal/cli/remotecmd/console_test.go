package remotecmd

import (
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// commandLine returns a program of the commands of this package.
func commandLine() cmd.Program {
	return cmd.Program{Explain: Explain, Commands: []cmd.Command{
		Push(), Upload(), Download(), Projects(), Workflows(), Start(), Retry(), Sessions(), Attempts(), Attempt(), Reschedule(), Backfill(), Log(), Kill(),
		Tasks(), Why(), Schedules(), Disable(), Enable(), Delete(), Secrets(), Version(), Tokens(), Pause(), Unpause(), History(), Pools(), Queues(), Failures(), Late(), Upcoming(), Agents(), Audit(),
	}}
}

func newConsole(t *testing.T) *clitest.Console {
	t.Helper()
	return clitest.New(t, commandLine())
}
