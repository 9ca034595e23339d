// Package cli is Trowel's command line: Digdag's commands, options, texts and exit codes (server
// chapter 1), and a few of its own.
//
// It has the list of all commands (table.go) and Run, which runs a command line by that list. The commands themselves are
// in the packages below it. Rules of the language, of states and of storage are not here.
package cli
