package trowel

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// IsShown reports whether terminals and pages simply show a character. It is false for control characters
// (C0, DEL, C1), for separators of lines and paragraphs, and for characters that change the order in which text is shown.
func IsShown(r rune) bool {
	return !unicode.IsControl(r) && !unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// CheckPrintable returns an error of kind invalid if a name has characters that are not IsShown, or bytes that
// are not UTF-8. what says whose name it is, such as "a project".
func CheckPrintable(what, name string) error {
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		found := ""
		switch {
		case r == utf8.RuneError && n == 1:
			found = fmt.Sprintf("the byte 0x%02X, which is no UTF-8,", name[i])
		case !IsShown(r):
			found = fmt.Sprintf("the control character U+%04X", r)
		}
		if found != "" {
			return &Error{
				Kind:    ErrInvalid,
				Message: fmt.Sprintf("the name of %s has %s at its byte %d: %q; give a name without it", what, found, i+1, name),
			}
		}
		i += n
	}
	return nil
}
