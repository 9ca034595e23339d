package cmd

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// nearOption returns the option that an unknown one may have meant, as it should be typed; empty if none is
// similar.
func nearOption(known map[string]*Option, token string) string {
	name, _, _ := strings.Cut(token, "=")
	if o := known[name]; o != nil && o.Takes == TakesNothing {
		return name // it was given a value
	}
	if short, value, ok := splitGlued(known, token); ok {
		return short + " " + value
	}
	var words []string
	for spelling := range known {
		if isLong(spelling) {
			words = append(words, strings.TrimLeft(spelling, "-"))
		}
	}
	if near := NearWord(strings.TrimLeft(name, "-"), words); near != "" {
		return "--" + near
	}
	return ""
}

// splitGlued splits a token such as -pa=1, if it looks like a short option with its value.
func splitGlued(known map[string]*Option, token string) (short, value string, ok bool) {
	if len(token) < 3 || isLong(token) {
		return "", "", false
	}
	short, value = token[:2], token[2:]
	o := known[short]
	if o == nil || o.Takes == TakesNothing || !strings.ContainsAny(value, "=./+0123456789") {
		return "", "", false
	}
	return short, strings.TrimPrefix(value, "="), true
}

// nearCommand returns the command that an unknown one may have meant; empty if none is similar.
func nearCommand(commands []Command, name string) string {
	var names []string
	for i := range commands {
		names = append(names, commands[i].Names()...)
	}
	return NearWord(name, names)
}

// NearWord returns the candidate that a word most likely meant, or an empty text. Candidates are similar if they are
// within edit distance or begin with the word. Of these it returns the one with the longest common prefix; if there are
// several, the shortest, and then the alphabetically first. Two swapped letters are one mistake. Words of one or two
// letters are similar to everything, so nothing is suggested for them.
func NearWord(word string, candidates []string) string {
	if len(word) < 3 {
		return ""
	}
	near := param.Near(word, candidates)
	for _, candidate := range candidates {
		if strings.HasPrefix(candidate, word) || swapped(word, candidate) {
			near = append(near, candidate)
		}
	}
	best, bestCommon := "", 0
	for _, candidate := range near {
		common := commonBeginning(word, candidate)
		switch {
		case common < bestCommon || common == 0 || len(candidate) < 3:
		case common > bestCommon, len(candidate) < len(best), len(candidate) == len(best) && candidate < best:
			best, bestCommon = candidate, common
		}
	}
	return best
}

// swapped reports whether two neighbouring letters are all that differs between two words.
func swapped(a, b string) bool {
	at := commonBeginning(a, b)
	return len(a) == len(b) && at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && a[at+2:] == b[at+2:]
}

// commonBeginning returns the length in bytes of the common prefix of two texts.
func commonBeginning(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
