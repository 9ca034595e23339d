// Package cmd has what every command is made of: the environment of a command line, its arguments and options, settings, usage
// texts, complaints with similar words, exit codes, completion and help. A Command is a row; a Program is a list of them. The groups of
// commands (remotecmd, local, serve) import this package and never each other.
package cmd
