package cli

import (
	"fmt"
	"io"
	"strings"
)

// say writes a text. That a write failed is known to the keptWriter around standard output; for
// standard error there is nobody left to tell.
func say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
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

// countOf is a number with the right form of what is counted.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
