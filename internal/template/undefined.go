package template

import "regexp"

// undefinedText is what is said of a name that no parameter has (language T27).
var undefinedText = regexp.MustCompile(`\(ReferenceError: ([\pL_$][\pL\pN_$]*) is not defined\)`)

// Undefined returns the name in the text of an error of Text or Config that is about a parameter which is not
// there.
func Undefined(message string) (name string, ok bool) {
	m := undefinedText.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	return m[1], true
}
