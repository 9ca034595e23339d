package cmd

import (
	"io"
	"math"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Usage texts are made from the table. Their first line is Digdag's (server 1.1); the rest names at
// least the options and commands that Digdag's texts name.

// Widths of the left column, with its indentation of four.
const (
	commandColumn = 38
	optionColumn  = 36
	HelpWidth     = 79 // of both columns: the window of most terminals has 80
)

// Headings of options that many commands have.
const (
	headOptions       = "Options of all commands"
	headClientOptions = headOptions + " that talk to a server"
)

// UsageError returns a complaint that shows the usage of the call's command.
func (c *Call) UsageError(text string) *ComplaintError {
	people := FormLines(c.Program, c.Command.Forms(), HelpWidth)
	forms := people
	if !c.Env.Terminals.Stderr {
		forms = FormLines(c.Program, c.Command.UsageForms(), math.MaxInt)
	}
	return &ComplaintError{
		Text:  text,
		usage: func(w io.Writer) { writeUsage(w, forms, c.Command) },
		brief: func(w io.Writer) {
			writeLines(w, people)
			terminal.Say(w, "  `%s %s --help` shows the options.\n", c.Program, c.Command.Name)
		},
	}
}

// globalUsage returns a complaint that shows all commands.
func (c *Call) globalUsage(text string) *ComplaintError {
	return &ComplaintError{
		Text:  text,
		usage: func(w io.Writer) { writeGlobalUsage(w, c.Program, c.commands) },
		brief: func(io.Writer) {}, // it is longer than a window
	}
}

// formIndent is how far the second line of a long form is indented.
const formIndent = 10

// FormLines returns the lines that show what can be typed. A form that is too long is wrapped and indented, and what it
// does gets lines of its own.
func FormLines(program string, forms []string, columns int) (lines []string) {
	lead := "Usage: " + program + " "
	for _, form := range forms {
		if len(lead)+len(form) <= columns {
			lines = append(lines, lead+form)
		} else {
			typed, does, _ := strings.Cut(form, "  ")
			typing := wrapped(typed, columns-len(lead))
			lines = append(lines, lead+typing[0])
			for _, more := range append(typing[1:], wrapped(does, columns-formIndent)...) {
				lines = append(lines, strings.Repeat(" ", formIndent)+more)
			}
		}
		lead = "       " + program + " "
	}
	return lines
}

// writeLines writes lines.
func writeLines(w io.Writer, lines []string) {
	for _, line := range lines {
		terminal.Say(w, "%s\n", line)
	}
}

// writeUsage writes the usage of one command, below the lines of its forms.
func writeUsage(w io.Writer, forms []string, c *Command) {
	writeLines(w, forms)
	if len(c.Lines) == 1 {
		terminal.Say(w, "  %s.\n", capital(c.Lines[0].Text))
	}
	if len(c.Aliases) > 0 {
		terminal.Say(w, "  Names: %s\n", textutil.CommaList(c.Names()))
	}
	if c.Run == nil {
		terminal.Say(w, "  This command is not part of this version.\n")
	}
	if len(c.Options) > 0 {
		writeOptions(w, "Options", c.Options)
	}
	if c.Remote {
		writeOptions(w, headClientOptions, clientOptions)
	}
	writeOptions(w, headOptions, commonOptions)
}

// writeOptions writes a heading, and a line for each option.
func writeOptions(w io.Writer, heading string, options []Option) {
	terminal.Say(w, "\n  %s:\n", heading)
	for i := range options {
		writeColumns(w, options[i].Label(), options[i].helpText(), optionColumn)
	}
}

// writeGlobalUsage writes all commands under their headings, and the options that most of them have.
func writeGlobalUsage(w io.Writer, program string, commands []Command) {
	terminal.Say(w, "Usage: %s <command> [options...]\n", program)
	later := false
	for _, s := range Sections {
		terminal.Say(w, "\n  %s:\n", s)
		for i := range commands {
			if commands[i].Section != s {
				continue
			}
			for _, l := range commands[i].Lines {
				text := l.Text
				if commands[i].Run == nil {
					text, later = text+" *", true
				}
				writeColumns(w, l.Form, text, commandColumn)
			}
		}
	}
	if later {
		terminal.Say(w, "\n  * not part of this version\n")
	}
	writeOptions(w, headOptions, commonOptions)
	writeOptions(w, headClientOptions, clientOptions)
	writeOptions(w, "Options of all commands that read a project", []Option{ProjectOption})
	terminal.Say(w, "\n  Use `%s <command> --help` to show the options of a command.\n", program)
}

// writeColumns writes two texts side by side. The right one is wrapped in a narrow window; a left
// one that is too long gets a line of its own.
func writeColumns(w io.Writer, left, right string, width int) {
	left = "    " + left
	if len(left)+2 > width {
		terminal.Say(w, "%s\n", left)
		left = ""
	}
	for _, line := range wrapped(right, HelpWidth-width) {
		terminal.Say(w, "%-*s%s\n", width, left, line)
		left = ""
	}
}

// capital returns a text with its first letter in upper case.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
