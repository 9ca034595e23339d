package cmd

import (
	"fmt"
	"io"

	"github.com/trowel-project/trowel/internal/terminal"
)

// Exit codes of everything but run, which has more (server 1.1).
const (
	ExitSuccess = 0
	ExitFailure = 1
)

// ComplaintError says that a command line makes no sense. It is shown as a usage text, an error line
// with Digdag's text, and lines of our own; each part may be missing. Without an error line the command does not
// fail: a wrong number of arguments ends with 0, as in Digdag (server 1.1).
//
// People on a terminal read our own words, if there are any, and the usage is shortened so that the reason stays in
// sight.
type ComplaintError struct {
	usage func(w io.Writer) // writes the usage text; nil for none
	brief func(w io.Writer) // writes what people on a terminal read of it beside a reason; nil for all of it
	Text  string            // Digdag's text, without "error: "
	own   string            // our own words in the place of text; empty if there are none
	fault string            // what of own is not in text; empty if nothing
	Hint  string            // further lines, how to go on
}

func (c *ComplaintError) Error() string {
	if c.Text == "" {
		return "usage"
	}
	return c.Text
}

// report writes the complaint in the form for a terminal or for others, and returns the exit code.
func (c *ComplaintError) report(w io.Writer, onTerminal bool) int {
	switch {
	case onTerminal && c.brief != nil && (c.Text != "" || c.Hint != ""):
		c.brief(w)
	case c.usage != nil:
		c.usage(w)
	}
	switch {
	case onTerminal && c.own != "":
		terminal.Say(w, "error: %s\n", c.own)
	case c.Text != "":
		terminal.Say(w, "error: %s\n", c.Text)
		if c.fault != "" {
			terminal.Say(w, "%s\n", c.fault)
		}
	}
	if c.Hint != "" {
		terminal.Say(w, "%s\n", c.Hint)
	}
	if c.Text == "" {
		return ExitSuccess
	}
	return ExitFailure
}

// Complainf returns a complaint that the parser makes: an error line without usage.
func Complainf(format string, args ...any) *ComplaintError {
	return &ComplaintError{Text: fmt.Sprintf(format, args...)}
}

// Hinting adds a hint to a complaint.
func (c *ComplaintError) Hinting(format string, args ...any) *ComplaintError {
	c.Hint = fmt.Sprintf(format, args...)
	return c
}

// NotPartOf returns the error about a part of Digdag's command line that this version does not have.
func NotPartOf(what string) error {
	return Complainf("%s is not part of this version", what)
}

// DidYouMean returns the hint that offers a similar word; empty if there is none.
func DidYouMean(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", suggestion)
}
