package cmd

import (
	"io"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// writeManual writes the manual page trowel(1), made from the table of commands like usage texts. Its form is that
// of the man macros.
func writeManual(w io.Writer, commands []Command) {
	page := &manual{w}
	page.macro("TH", "TROWEL", "1", "", "Trowel "+version.Number, "User Commands")
	page.heading("NAME", "trowel \\- run workflows written in .dig files")
	page.heading("SYNOPSIS", "\\fBtrowel\\fR \\fIcommand\\fR [\\fIoptions\\fR...]")
	page.heading("DESCRIPTION", roff("Trowel runs Digdag's workflow files: on this machine, or on a server and its agents, with schedules, "+
		"retries, secrets, logs and a REST API."))
	page.heading("COMMANDS", roff("`trowel help COMMAND` shows one of them."))
	for _, s := range Sections {
		page.macro("SS", string(s))
		for i := range commands {
			if commands[i].Section == s && commands[i].Run != nil {
				page.command(&commands[i])
			}
		}
	}
	page.options("OPTIONS OF ALL COMMANDS", commonOptions)
	page.options("OPTIONS OF COMMANDS THAT TALK TO A SERVER", clientOptions)
	page.heading("EXIT STATUS", roff("0 after success, 1 after an error or a failed attempt, 130 when interrupted."))
	page.heading("FILES", "")
	for _, file := range []struct{ path, text string }{
		{"~/.config/trowel/config", "settings; ~/.config/digdag/config where it is missing"},
		{"~/.config/digdag/secrets", "secrets of local runs"},
		{".digdag/status", "what has succeeded in local runs, by session"},
	} {
		page.item(RoffBold(file.path), file.text)
	}
	page.heading("ENVIRONMENT", "")
	page.item(RoffBold("TROWEL_TOKEN"), "the token to sign in with")
	page.item(RoffBold("TROWEL_CONFIG"), "the file of settings")
}

// manual writes a page.
type manual struct{ w io.Writer }

// macro writes a line of a macro; empty arguments stay.
func (m *manual) macro(name string, args ...string) {
	terminal.Say(m.w, ".%s", name)
	for _, arg := range args {
		terminal.Say(m.w, ` "%s"`, strings.ReplaceAll(roff(arg), `"`, `\(dq`))
	}
	terminal.Say(m.w, "\n")
}

// heading writes a section; its text is ready for the page.
func (m *manual) heading(title, text string) {
	m.macro("SH", title)
	if text != "" {
		terminal.Say(m.w, "%s\n", text)
	}
}

// item writes a term, ready for the page, and what it means.
func (m *manual) item(term, text string) {
	terminal.Say(m.w, ".TP\n%s\n%s\n", term, roff(capital(text))+".")
}

func (m *manual) command(c *Command) {
	for _, l := range c.Lines {
		m.item(RoffBold(l.Form), l.Text)
	}
	if len(c.Options) == 0 {
		return
	}
	terminal.Say(m.w, ".RS\n")
	for i := range c.Options {
		m.option(&c.Options[i])
	}
	terminal.Say(m.w, ".RE\n")
}

func (m *manual) options(title string, options []Option) {
	m.heading(title, "")
	for i := range options {
		m.option(&options[i])
	}
}

func (m *manual) option(o *Option) {
	m.item(RoffBold(o.Label()), o.helpText())
}

// roff escapes a text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// RoffBold returns a text in bold face for man.
func RoffBold(text string) string { return `\fB` + roff(text) + `\fR` }
