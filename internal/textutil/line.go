package textutil

import "strings"

// FirstLine is the first line of a text that is not blank.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n "), "\n")
	return line
}
