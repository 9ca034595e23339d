package template

import "regexp"

// undefinedText matches the message about a name that no parameter has (language T27).
var undefinedText = regexp.MustCompile(`\(ReferenceError: ([\pL_$][\pL\pN_$]*) is not defined\)`)

// Undefined returns the name of the missing parameter from an error message of Text or Config. ok is false for other
// messages.
func Undefined(message string) (name string, ok bool) {
	m := undefinedText.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	return m[1], true
}
