package dig

import (
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// hashOrder returns some of the texts in the order of a Java HashMap of all of them,
// which is the order in Digdag's message about duplicate keys.
func hashOrder(all, some []string) string {
	distinct := distinctOf(all)
	buckets := param.HashMapSize(len(distinct))
	distinct = slices.DeleteFunc(distinct, func(text string) bool { return !slices.Contains(some, text) })
	return strings.Join(param.HashOrder(distinct, buckets), ", ")
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
