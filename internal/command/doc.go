// Package command runs command lines for operators: sh>, py>, rb> and others build a Request, and an Executor runs it.
// Local is the executor "simple" (operators 4.2): a child process on this machine.
//
// The package knows nothing of tasks and parameters. The output of a command goes to a writer as it comes. Read Executor
// and Request first, then Local.
package command
