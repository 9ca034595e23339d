package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/remotecmd"
)

// commandLine is this program.
func commandLine() cmd.Program { return cmd.Program{Commands: table(), Explain: remotecmd.Explain} }

// Run does what a command line says and returns the exit code of the process. It prints everything
// there is to print, errors included. Canceling ctx stops a command that takes time.
func Run(ctx context.Context, env cmd.Env) (exit int) {
	return cmd.Run(ctx, env, commandLine())
}
