package dig

import (
	"fmt"
	"strings"
	"unicode"
)

// Texts of server 1.9.2, "Task-name patterns".
const (
	matchNone      = "Task pattern '%s' doesn't match with any tasks."
	matchAmbiguous = "Task pattern '%s' is ambiguous. Matching candidates are [%s]"
	matchSyntax    = "Match patterns excepting direct child (+name+name) is not supported: %s"
)

// MatchTask finds the only task whose full name ends with the pattern, and returns its index
// (language X72). The errors are *Error, of the kinds syntax, no match and multiple task match.
func MatchTask(pattern string, tasks []Task) (int, error) {
	names := make([]string, len(tasks))
	for i := range tasks {
		names[i] = tasks[i].FullName
	}
	return MatchName(pattern, names)
}

// MatchName is MatchTask for full names. Among equal names the last one counts.
func MatchName(pattern string, fullNames []string) (int, error) {
	if !goodPattern(pattern) {
		return -1, &Error{Kind: KindSyntax, Message: fmt.Sprintf(matchSyntax, pattern)}
	}
	var matches []string
	found := map[string]int{}
	for i, name := range fullNames {
		if !strings.HasSuffix(name, pattern) {
			continue
		}
		if _, again := found[name]; !again {
			matches = append(matches, name)
		}
		found[name] = i
	}
	switch len(matches) {
	case 0:
		return -1, &Error{Kind: KindNoMatch, Message: fmt.Sprintf(matchNone, pattern)}
	case 1:
		return found[matches[0]], nil
	default:
		list := strings.Join(matches, ", ")
		return -1, &Error{Kind: KindMultipleMatch, Message: fmt.Sprintf(matchAmbiguous, pattern, list)}
	}
}

// goodPattern reports whether no part of the pattern is a single character. A part begins at each
// character that is not part of a name, such as + and ^.
func goodPattern(pattern string) bool {
	start := 0
	for i, r := range pattern {
		if i > 0 && isDelimiter(r) {
			if units(pattern[start:i]) == 1 {
				return false
			}
			start = i
		}
	}
	return units(pattern[start:]) != 1
}

func isDelimiter(r rune) bool {
	switch {
	case strings.ContainsRune("-=[]{}%&@,._", r):
		return false
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r), unicode.Is(unicode.Pc, r):
		return false
	default:
		return r != '\u200c' && r != '\u200d' // joiners are word characters
	}
}
