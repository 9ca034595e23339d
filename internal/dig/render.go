package dig

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	trowel "github.com/trowel-project/trowel"
)

// Escape sequences of terminals.
const (
	ansiBold   = "\x1b[1m"
	ansiRed    = "\x1b[31m"
	ansiYellow = "\x1b[33m"
	ansiGreen  = "\x1b[32m"
	ansiReset  = "\x1b[0m"
)

// Render writes findings for people: place and message, the line with a marker below, and how to
// mend it. Control characters from a file are shown as U+FFFD. As for other
// output for people, errors of w are ignored.
func Render(w io.Writer, findings []Finding, colour bool) {
	paint := func(code, text string) string {
		if !colour || text == "" {
			return text
		}
		return code + text + ansiReset
	}
	var b strings.Builder
	for _, f := range findings {
		code := ansiRed
		if f.Severity == SeverityWarning {
			code = ansiYellow
		}
		message := strings.ReplaceAll(printable(strings.TrimRight(f.Message, "\n")), "\n", "\n    ")
		if f.ID != "" {
			message += " [" + f.ID + "]"
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", paint(ansiBold, printable(f.String())), paint(code, f.Severity.String()), message)
		if f.Source != "" {
			line, marker := marked(printable(f.Source), f.Column)
			fmt.Fprintf(&b, "    %s\n    %s\n", line, paint(code, marker))
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "    %s %s\n", paint(ansiGreen, "fix:"), printable(f.Hint))
		}
	}
	_, _ = io.WriteString(w, b.String())
}

// shownWidth is the largest number of characters shown of a line.
const shownWidth = 120

// marked returns a line, cut if it is long, and the marker below its column.
func marked(source string, column int) (line, marker string) {
	before, after := []rune(source), []rune(nil)
	if column-1 < len(before) {
		before, after = before[:column-1], before[column-1:]
	}
	if len(before) > shownWidth/2 {
		before = append([]rune("..."), before[len(before)-shownWidth/2:]...)
	}
	if len(after) > shownWidth-len(before) {
		after = append(after[:shownWidth-len(before):shownWidth-len(before)], []rune("...")...)
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	return string(before) + string(after), indent + "^"
}

// printable replaces what a terminal would not simply show, except for tabs and line breaks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || trowel.IsShown(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
