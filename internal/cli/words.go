package cli

import "strings"

// firstLine is the first line of a text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n "), "\n")
	return line
}
