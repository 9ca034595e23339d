package cmd

import (
	"context"
	"io"
	"slices"
)

// Completion returns the row of the command completion.
func Completion() Command {
	return Command{
		Name: "completion", Section: SectionOther, Extra: true,
		Lines: []Line{{"completion (bash|zsh|fish)", "write a completion script for a shell"}},
		Min:   1, Max: 1, Operand: OneOf("bash", "zsh", "fish"),
		Run: runCompletion,
	}
}

// runCompletion writes a script with which a shell completes the program's commands, options and values. The scripts of
// all three shells are made from the table.
func runCompletion(_ context.Context, c *Call) error {
	writers := map[string]func(io.Writer, string, []Command){
		"bash": writeBashCompletion,
		"zsh":  writeZshCompletion,
		"fish": writeFishCompletion,
	}
	shell := c.Args.Positional[0]
	write := writers[shell]
	if write == nil {
		return c.UsageError("there is no completion for '" + shell + "'").Hinting("the shells are bash, zsh, fish")
	}
	write(c.Env.Stdout, c.Program, c.commands)
	return nil
}

// valueOptions returns the options that take a value.
func valueOptions(options []Option) []Option {
	return slices.DeleteFunc(slices.Clone(options), func(o Option) bool { return o.Takes == TakesNothing })
}

// spellings returns all spellings of some options, in order.
func spellings(options []Option) []string {
	var names []string
	for i := range options {
		names = append(names, options[i].Names...)
	}
	return names
}

// allNames returns the names and aliases of all commands.
func allNames(commands []Command) []string {
	var names []string
	for i := range commands {
		names = append(names, commands[i].Names()...)
	}
	return names
}

// summary describes a command in a few words.
func (c *Command) summary() string {
	if len(c.Lines) == 0 {
		return ""
	}
	return c.Lines[0].Text
}
