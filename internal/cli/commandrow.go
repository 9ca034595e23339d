package cli

import (
	"context"
	"slices"
)

// command is one row of the command table (server 1.2).
type command struct {
	name    string
	aliases []string
	section section
	// lines describe the command in the global usage: each a form to type and what it does.
	lines []line
	// usage holds the forms of the command's own usage, without the program's name. The first one is
	// Digdag's, letter by letter.
	usage []string
	// people holds the forms for those who read them on a terminal, where Digdag's are odd; nil for usage.
	people   []string
	min, max int                     // positional arguments that it takes; max -1 for any number
	operand  offer                   // what completion proposes for its arguments
	options  []option                // its own, in the order of the usage text
	remote   bool                    // has the options of clients too
	extra    bool                    // not a command of Digdag
	refuse   func(*arguments) string // a complaint about options that do not go together, or empty
	run      handler                 // nil in a version that does not have the command
}

// line is a form of a command and what it does.
type line struct{ form, text string }

// handler does what a command is for. A *complaint or any other error ends the program with a
// message; server 1.1 says with which exit code.
type handler func(ctx context.Context, c *call) error

// section is a heading of the global usage.
type section string

const (
	sectionLocal    section = "Local-mode commands"
	sectionServer   section = "Server-mode commands"
	sectionProject  section = "Commands for projects on a server"
	sectionSession  section = "Commands for sessions and attempts"
	sectionSchedule section = "Commands for schedules"
	sectionOther    section = "Other commands"
)

// sections is the order of the headings.
//
//nolint:gochecknoglobals // a table that is only read
var sections = []section{
	sectionLocal, sectionServer, sectionProject, sectionSession, sectionSchedule, sectionOther,
}

// find returns the command of a name or alias, nil if there is none.
func find(commands []command, name string) *command {
	for i := range commands {
		if slices.Contains(commands[i].names(), name) {
			return &commands[i]
		}
	}
	return nil
}

// names are the command's name and its aliases.
func (c *command) names() []string {
	return append([]string{c.name}, c.aliases...)
}

// forms are what people can type.
func (c *command) forms() []string {
	if c.people != nil {
		return c.people
	}
	return c.usage
}

// allOptions are the options of the command, those shared with others included.
func (c *command) allOptions() []option {
	if c.remote {
		return options(c.options, clientOptions, commonOptions)
	}
	return options(c.options, commonOptions)
}
