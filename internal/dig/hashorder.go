package dig

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
)

// hashOrder lists some of the texts in the order in which a Java HashMap of all of them has them,
// which is the order in Digdag's message on duplicate keys.
func hashOrder(all, some []string) string {
	distinct := distinctOf(all)
	size := 16
	for len(distinct)*4 > size*3 {
		size *= 2
	}
	distinct = slices.DeleteFunc(distinct, func(text string) bool { return !slices.Contains(some, text) })
	slices.SortStableFunc(distinct, func(a, b string) int {
		return cmp.Compare(bucketOf(a, size), bucketOf(b, size))
	})
	return strings.Join(distinct, ", ")
}

func bucketOf(s string, size int) uint32 {
	var hash uint32
	for _, unit := range utf16.Encode([]rune(s)) {
		hash = hash*31 + uint32(unit)
	}
	return (hash ^ hash>>16) & uint32(size-1) //nolint:gosec // size is a small power of two
}

func distinctOf(texts []string) []string {
	seen := map[string]bool{}
	var distinct []string
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			distinct = append(distinct, text)
		}
	}
	return distinct
}
