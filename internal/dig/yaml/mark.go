package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Mark is a place in the text. Line and Column count from 0, columns in characters.
type Mark struct {
	Offset int32 // byte offset
	Line   int32
	Column int32
	window int32 // the reader's buffer at that time, see reader
}

// snippetWidth is how much of a line a message shows, and snippetIndent how far to the right.
const (
	snippetWidth  = 75
	snippetIndent = 4
)

// describe returns a mark as messages show it: its place, and the line with a caret below.
func describe(text string, w window, m Mark) string {
	loaded := text[w.start:w.end]
	pointer := int(m.Offset) - w.start
	before := []rune(loaded[lineStart(loaded, pointer):pointer])
	after := []rune(loaded[pointer:lineEnd(loaded, pointer)])
	const half = snippetWidth/2 - 1
	head, tail := "", ""
	if len(before) > half {
		head = " ... "
		before = before[len(before)-half+len(head)-1:]
	}
	if len(after) > half {
		tail = " ... "
		after = after[:half+1-len(tail)]
	}
	indent := strings.Repeat(" ", snippetIndent)
	caret := strings.Repeat(" ", snippetIndent+len(before)+len(head)) + "^"
	line := indent + head + string(before) + string(after) + tail
	return fmt.Sprintf(" in 'string', line %d, column %d:\n%s\n%s", m.Line+1, m.Column+1, line, caret)
}

// lineStart returns the offset after the last line break before an offset.
func lineStart(s string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if isBreak(r) {
			return at
		}
		at -= size
	}
	return at
}

// lineEnd returns the offset of the next line break.
func lineEnd(s string, at int) int {
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if isBreak(r) {
			return at
		}
		at += size
	}
	return at
}
