package cli

import (
	"fmt"
	"io"
	"strings"
)

// Exit codes of everything but run, which has more (server 1.1).
const (
	exitSuccess = 0
	exitFailure = 1
)

// complaint says that a command line makes no sense. It is shown as a usage text, an error line
// with Digdag's text, and lines of ours, each part only if there is one. Without a text it is no
// failure: a wrong number of arguments ends with 0, as in Digdag (server 1.1).
type complaint struct {
	usage func(w io.Writer) // writes the usage text; nil for none
	text  string            // Digdag's text, without "error: "
	hint  string            // further lines, how to go on
}

func (c *complaint) Error() string {
	if c.text == "" {
		return "usage"
	}
	return c.text
}

// report writes the complaint and returns the exit code.
func (c *complaint) report(w io.Writer) int {
	if c.usage != nil {
		c.usage(w)
	}
	if c.text != "" {
		say(w, "error: %s\n", c.text)
	}
	if c.hint != "" {
		say(w, "%s\n", c.hint)
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

// plural is a count and the noun it counts.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// commaList joins texts with commas.
func commaList(texts []string) string { return strings.Join(texts, ", ") }
