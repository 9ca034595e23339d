package cli

import "context"

// commandLine is this program.
func commandLine() program { return program{commands: table(), explain: commandError} }

// Run does what a command line says and returns the exit code of the process. It prints everything
// there is to print, errors included. Canceling ctx stops a command that takes time.
func Run(ctx context.Context, env Env) (exit int) {
	return runProgram(ctx, env, commandLine())
}
