// Package textutil has what texts for people are made of: counts with their nouns, lists, lengths of time, and words quoted for a
// shell.
package textutil

import (
	"fmt"
	"strings"
)

// Plural is a count and the noun it counts.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// CommaList joins texts with commas.
func CommaList(texts []string) string { return strings.Join(texts, ", ") }

// Count is a number with the right form of what is counted.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
