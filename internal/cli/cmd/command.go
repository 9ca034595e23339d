package cmd

import (
	"context"
	"slices"
)

// Command is one row of the command table (server 1.2).
type Command struct {
	Name    string
	Aliases []string // other names, as in Digdag
	Section section  // where the global usage lists it
	// Lines describe the command in the global usage: each has a form to type and what it does.
	Lines []Line
	// Usage holds the forms of the command's own usage, without the program's name; nil if they are those of
	// Lines. The first one is exactly Digdag's.
	Usage []string
	// People holds the forms shown on a terminal, where Digdag's are odd; nil if they are those of Usage.
	People   []string
	Min, Max int                     // how many positional arguments it takes; Max is -1 for any number
	Operand  Offer                   // what completion proposes for its arguments
	Options  []Option                // its own, in the order of the usage text
	Remote   bool                    // it also has the options of clients
	Extra    bool                    // Digdag does not have it
	Refuse   func(*Arguments) string // returns a complaint about options that exclude each other, or an empty text
	Run      Handler                 // nil if this version does not have the command
}

// Line is a form of a command and what it does.
type Line struct{ Form, Text string }

// Handler runs a command. A *ComplaintError or any other error ends the program with a message; server 1.1 says with
// which exit code.
type Handler func(ctx context.Context, c *Call) error

// section is a heading of the global usage.
type section string

// The sections of the global usage.
const (
	SectionLocal    section = "Local-mode commands"
	SectionServer   section = "Server-mode commands"
	SectionProject  section = "Commands for projects on a server"
	SectionSession  section = "Commands for sessions and attempts"
	SectionSchedule section = "Commands for schedules"
	SectionOther    section = "Other commands"
)

// Sections is the order of the headings.
//
//nolint:gochecknoglobals // a table that is only read
var Sections = []section{
	SectionLocal, SectionServer, SectionProject, SectionSession, SectionSchedule, SectionOther,
}

// find returns the command of a name or alias, nil if there is none.
func find(commands []Command, name string) *Command {
	for i := range commands {
		if slices.Contains(commands[i].Names(), name) {
			return &commands[i]
		}
	}
	return nil
}

// Names returns the command's name and its aliases.
func (c *Command) Names() []string {
	return append([]string{c.Name}, c.Aliases...)
}

// Forms returns the forms of the command for people.
func (c *Command) Forms() []string {
	if c.People != nil {
		return c.People
	}
	return c.UsageForms()
}

// UsageForms are the forms of the command's own usage, as scripts read them.
func (c *Command) UsageForms() []string {
	if c.Usage != nil {
		return c.Usage
	}
	forms := make([]string, len(c.Lines))
	for i, l := range c.Lines {
		forms[i] = l.Form
	}
	return forms
}

// AllOptions returns the options of the command, including those that it shares with others.
func (c *Command) AllOptions() []Option {
	if c.Remote {
		return Options(c.Options, clientOptions, commonOptions)
	}
	return Options(c.Options, commonOptions)
}
