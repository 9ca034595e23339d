package cli

import (
	"context"
	"io"
	"slices"
)

// completionRow is the row of the command completion.
func completionRow() command {
	return command{
		name: "completion", section: sectionOther, extra: true,
		lines: []line{{"completion (bash|zsh|fish)", "write a completion script for a shell"}},
		usage: []string{"completion (bash|zsh|fish)"},
		min:   1, max: 1, operand: oneOf("bash", "zsh", "fish"),
		run: runCompletion,
	}
}

// runCompletion writes a script that teaches a shell to complete this program's commands, options
// and their values. All three are made from the table.
func runCompletion(_ context.Context, c *call) error {
	writers := map[string]func(io.Writer, string, []command){
		"bash": writeBashCompletion,
		"zsh":  writeZshCompletion,
		"fish": writeFishCompletion,
	}
	shell := c.args.positional[0]
	write := writers[shell]
	if write == nil {
		return c.usage("there is no completion for '" + shell + "'").hinting("the shells are bash, zsh, fish")
	}
	write(c.env.Stdout, c.program, c.commands)
	return nil
}

// valueOptions are the options that take a value.
func valueOptions(options []option) []option {
	return slices.DeleteFunc(slices.Clone(options), func(o option) bool { return o.takes == takesNothing })
}

// spellings are all names of some options, in order.
func spellings(options []option) []string {
	var names []string
	for i := range options {
		names = append(names, options[i].names...)
	}
	return names
}

// allNames are the names and aliases of all commands.
func allNames(commands []command) []string {
	var names []string
	for i := range commands {
		names = append(names, commands[i].names()...)
	}
	return names
}

// summary is a command in a few words.
func (c *command) summary() string {
	if len(c.lines) == 0 {
		return ""
	}
	return c.lines[0].text
}
