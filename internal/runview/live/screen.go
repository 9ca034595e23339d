package live

import (
	"bytes"
	"io"
	"strconv"
)

// Sequences for terminals. Those that know the first two show what is written between them at once;
// others ignore them.
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
	eraseLine   = "\x1b[K" // from the cursor to the end of the line
	eraseBelow  = "\x1b[J" // from the cursor to the end of the window
)

// screen is the lower end of a terminal: output scrolls by above some lines that change in place.
// The cursor rests at the beginning of the line below them, so whatever else is printed begins a
// line, and a process that dies leaves the terminal usable.
//
// No keys are read and no modes are set, so there is nothing to restore.
type screen struct {
	out   io.Writer // standard output, gets what scrolls
	lower io.Writer // standard error, gets the lines
	lines []drawnLine
	width int // of the window when the lines were drawn
}

// show writes output, which is whole lines, above the lines, and then the lines as they are now, for
// a window of a width.
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

// update writes what is different from the lines that are there.
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

// erase removes the lines. A window that became narrower has wrapped them.
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

// moveUp puts the cursor at the beginning of a line further up.
func moveUp(text *bytes.Buffer, rows int) {
	text.WriteByte('\r')
	if rows > 0 {
		text.WriteString("\x1b[" + strconv.Itoa(rows) + "A")
	}
}

// flush writes to standard error. If that fails there is nobody left to tell.
func (s *screen) flush(text *bytes.Buffer) {
	_, _ = s.lower.Write(text.Bytes())
	text.Reset()
}
