// Package command runs command lines for operators: sh>, py>, rb> and the like build a Request, an
// Executor runs it somewhere. Local is the executor "simple" (operators 4.2): a child process on this
// machine.
//
// The package knows nothing of tasks and parameters; what a command prints goes to a writer as it
// comes. Read Executor and Request first, then Local.
package command
