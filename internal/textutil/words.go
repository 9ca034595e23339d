// Package textutil has the parts of texts for people: counts with their nouns, lists, durations, and words quoted for a
// shell.
package textutil

import (
	"fmt"
	"strings"
)

// Plural returns a count with its noun, in the plural unless it is one.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// CommaList joins texts with commas.
func CommaList(texts []string) string { return strings.Join(texts, ", ") }

// Count returns a number with the right form of the noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
