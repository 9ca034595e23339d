package yaml

import (
	"strings"
	"unicode/utf8"
)

// validText returns the text with U+FFFD in place of each sequence of bytes that is not UTF-8. As
// in Java, the beginning of a truncated character is one sequence.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			size = brokenLength(text[i:])
		}
		b.WriteRune(r)
		i += size
	}
	return b.String()
}

// brokenLength returns how many bytes at the beginning of a text could have begun a character.
func brokenLength(s string) int {
	for n := min(3, len(s)); n > 1; n-- {
		for _, rest := range [...]string{"\x80", "\x80\x80"} {
			// If only continuation bytes are missing, adding them makes a character.
			if r, size := utf8.DecodeRuneInString(s[:n] + rest); r != utf8.RuneError || size > 1 {
				if size > n {
					return n
				}
			}
		}
	}
	return 1
}
