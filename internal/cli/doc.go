// Package cli is Trowel's command line: Digdag's commands, options, texts and exit codes (server
// chapter 1), and a few of its own.
//
// It is the one place that wires the other packages together, and the only one that prints. Rules
// of the language, of states and of storage are not here. Read table.go first: it lists all
// commands; then Run, which reads a command line by the table, and call, which is what the function
// behind a command is given.
package cli
