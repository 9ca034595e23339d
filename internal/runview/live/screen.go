package live

import (
	"bytes"
	"io"
	"strconv"
)

// Sequences for terminals. The first two make what is written between them appear at once; terminals that do not know
// them ignore them.
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
	eraseLine   = "\x1b[K" // from the cursor to the end of the line
	eraseBelow  = "\x1b[J" // from the cursor to the end of the window
)

// screen is the lower end of a terminal: output scrolls by above some lines that change in place.
// The cursor stays at the beginning of the line below them. So anything else that is printed begins a
// new line, and a process that dies leaves the terminal usable.
//
// No keys are read and no modes are set, so there is nothing to restore.
type screen struct {
	out   io.Writer // standard output, for what scrolls
	lower io.Writer // standard error, for the lines
	lines []drawnLine
	width int // width of the window when the lines were drawn
}

// show writes output, which must be whole lines, and below it the lines as they are now. width is the width of the
// window.
func (s *screen) show(output []byte, lines []drawnLine, width int) {
	if len(output) == 0 && width == s.width && len(lines) > 0 && len(s.lines) > 0 {
		s.update(lines)
		return
	}
	var text bytes.Buffer
	text.WriteString(beginUpdate)
	s.erase(&text, width)
	if len(output) > 0 {
		s.flush(&text)
		_, _ = s.out.Write(output) // the writer of standard output keeps its error
	}
	for _, line := range lines {
		text.WriteString(line.text)
		text.WriteByte('\n')
	}
	text.WriteString(endUpdate)
	s.flush(&text)
	s.lines, s.width = append(s.lines[:0], lines...), width
}

// update writes only the lines that have changed.
func (s *screen) update(lines []drawnLine) {
	same := 0
	for same < len(lines) && same < len(s.lines) && lines[same] == s.lines[same] {
		same++
	}
	if same == len(lines) && same == len(s.lines) {
		return
	}
	var text bytes.Buffer
	text.WriteString(beginUpdate)
	moveUp(&text, len(s.lines)-same)
	for i := same; i < len(lines); i++ {
		if i >= len(s.lines) || lines[i] != s.lines[i] {
			text.WriteString(lines[i].text)
			text.WriteString(eraseLine)
		}
		text.WriteByte('\n')
	}
	if len(lines) < len(s.lines) {
		text.WriteString(eraseBelow)
	}
	text.WriteString(endUpdate)
	s.flush(&text)
	s.lines = append(s.lines[:0], lines...)
}

// erase removes the lines. If the window became narrower, it has wrapped them.
func (s *screen) erase(text *bytes.Buffer, width int) {
	if len(s.lines) == 0 {
		return
	}
	rows := len(s.lines)
	for _, line := range s.lines {
		rows += max(line.width-1, 0) / width
	}
	moveUp(text, rows)
	text.WriteString(eraseBelow)
}

// moveUp moves the cursor to the beginning of a line further up.
func moveUp(text *bytes.Buffer, rows int) {
	text.WriteByte('\r')
	if rows > 0 {
		text.WriteString("\x1b[" + strconv.Itoa(rows) + "A")
	}
}

// flush writes to standard error. It ignores errors, since nobody is left to read about them.
func (s *screen) flush(text *bytes.Buffer) {
	_, _ = s.lower.Write(text.Bytes())
	text.Reset()
}
