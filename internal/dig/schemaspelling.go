package dig

import (
	"regexp"
	"slices"
	"strings"
)

// misspelled is a regular expression of the words that differ from one of some keys by one letter behind its first, or by
// two that changed places. None of the keys is among them.
func misspelled(keys ...[]string) string {
	var forms []string
	for _, key := range slices.Sorted(slices.Values(slices.Concat(keys...))) {
		const shortest = 5 // of a key: of what is as short as _do others may be meant
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
