package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/remotecmd"
)

// commandLine returns the program with all of its commands.
func commandLine() cmd.Program { return cmd.Program{Commands: table(), Explain: remotecmd.Explain} }

// Run runs a command line and returns the exit code of the process. It prints everything there is to print, including
// errors. Canceling ctx stops a command that takes time.
func Run(ctx context.Context, env cmd.Env) (exit int) {
	return cmd.Run(ctx, env, commandLine())
}
