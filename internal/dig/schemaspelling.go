package dig

import (
	"regexp"
	"slices"
	"strings"
)

// misspelled returns a regular expression of the words that differ from one of the keys by one letter, which is not the
// first, or by two swapped letters. The keys themselves do not match.
func misspelled(keys ...[]string) string {
	var forms []string
	for _, key := range slices.Sorted(slices.Values(slices.Concat(keys...))) {
		const shortest = 5 // shorter keys, such as _do, are too close to other words
		if len(key) < shortest {
			continue
		}
		quote := regexp.QuoteMeta
		for i := 1; i < len(key); i++ {
			forms = append(forms, quote(key[:i])+"[^"+key[i:i+1]+"]?"+quote(key[i+1:]), quote(key[:i])+"."+quote(key[i:]))
			if i+1 < len(key) && key[i] != key[i+1] {
				forms = append(forms, quote(key[:i])+key[i+1:i+2]+key[i:i+1]+quote(key[i+2:]))
			}
		}
		forms = append(forms, quote(key)+".")
	}
	return "^(" + strings.Join(forms, "|") + ")$"
}
