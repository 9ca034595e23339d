package cli

import (
	"fmt"
	"io"

	"github.com/trowel-project/trowel/internal/terminal"
)

// Exit codes of everything but run, which has more (server 1.1).
const (
	exitSuccess = 0
	exitFailure = 1
)

// complaint says that a command line makes no sense. It is shown as a usage text, an error line
// with Digdag's text, and lines of ours, each part only if there is one. Without a text it is no
// failure: a wrong number of arguments ends with 0, as in Digdag (server 1.1).
//
// People on a terminal read our own words, if there are any, and only as much of the usage as leaves the
// reason in sight.
type complaint struct {
	usage func(w io.Writer) // writes the usage text; nil for none
	brief func(w io.Writer) // writes what people on a terminal read of it beside a reason; nil for all of it
	text  string            // Digdag's text, without "error: "
	own   string            // our own words in the place of text; empty if there are none
	fault string            // what of own is not in text; empty if nothing
	hint  string            // further lines, how to go on
}

func (c *complaint) Error() string {
	if c.text == "" {
		return "usage"
	}
	return c.text
}

// report writes the complaint, to people on a terminal or to anybody, and returns the exit code.
func (c *complaint) report(w io.Writer, onTerminal bool) int {
	switch {
	case onTerminal && c.brief != nil && (c.text != "" || c.hint != ""):
		c.brief(w)
	case c.usage != nil:
		c.usage(w)
	}
	switch {
	case onTerminal && c.own != "":
		terminal.Say(w, "error: %s\n", c.own)
	case c.text != "":
		terminal.Say(w, "error: %s\n", c.text)
		if c.fault != "" {
			terminal.Say(w, "%s\n", c.fault)
		}
	}
	if c.hint != "" {
		terminal.Say(w, "%s\n", c.hint)
	}
	if c.text == "" {
		return exitSuccess
	}
	return exitFailure
}

// complainf returns a complaint that the parser makes: an error line without usage.
func complainf(format string, args ...any) *complaint {
	return &complaint{text: fmt.Sprintf(format, args...)}
}

// hinting adds a hint to a complaint.
func (c *complaint) hinting(format string, args ...any) *complaint {
	c.hint = fmt.Sprintf(format, args...)
	return c
}

// notPartOf is the error for what the compatible command line has and this version does not.
func notPartOf(what string) error {
	return complainf("%s is not part of this version", what)
}

// didYouMean is the hint that offers a near miss; empty if there is none.
func didYouMean(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", suggestion)
}
