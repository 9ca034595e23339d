// Package command runs command lines for operators: sh>, py>, rb> and others build a Request, and an Executor runs it.
// Local is the executor "simple" (operators 4.2): a child process on this machine. The packages below have the others, and a
// Chain leaves each command to the first one that can run it (operators 4.1).
//
// The package knows nothing of tasks but their ids, by which executors name what they start. The output of a command goes to
// a writer as it comes. Read Executor and Request first, then Local and Chain.
package command
