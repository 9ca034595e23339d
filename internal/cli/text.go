package cli

import (
	"fmt"
	"strings"
)

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
