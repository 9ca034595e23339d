// Package terminal prepares text for terminals: it makes control characters visible, and counts widths
// in columns.
package terminal

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	trowel "github.com/trowel-project/trowel"
)

// Text of tasks is untrusted. It may contain bytes that are not UTF-8, control characters that move
// the cursor, clear the window or rename it, and characters that show text in another order than it has.
// Here such text is made harmless and visible. Colours (SGR) may stay, unless they hide text. A
// control character becomes ^X or \uNNNN, and a wrong byte \xNN.

const hexDigits = "0123456789abcdef"

// AppendClean appends one line of text in a harmless form. With colors, SGR sequences stay and
// are passed to see, unless that is nil. Without, they are removed. Tabs stay.
func AppendClean(dst, line []byte, colors bool, see func(sgr []byte)) []byte {
	for len(line) > 0 {
		n := 0
		for n < len(line) && (line[n] >= ' ' && line[n] < 0x7f || line[n] == '\t') {
			n++
		}
		dst = append(dst, line[:n]...)
		line = line[n:]
		if len(line) == 0 {
			break
		}
		if line[0] >= utf8.RuneSelf {
			dst, n = appendRune(dst, line)
			line = line[n:]
			continue
		}
		if n = sgrLength(line); n > 0 {
			if colors && !sgrConceals(line[:n]) {
				dst = append(dst, line[:n]...)
				if see != nil {
					see(line[:n])
				}
			}
			line = line[n:]
			continue
		}
		dst = append(dst, '^', line[0]^0x40)
		line = line[1:]
	}
	return dst
}

// appendRune appends the first rune of a line, which is not ASCII, and returns its length.
func appendRune(dst, line []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(line)
	switch {
	case r == utf8.RuneError && n == 1:
		return append(dst, '\\', 'x', hexDigits[line[0]>>4], hexDigits[line[0]&0xf]), 1
	case !trowel.IsShown(r):
		return append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf]), n
	default:
		return append(dst, line[:n]...), n
	}
}

// sgrLength returns the length of the colour sequence at the beginning of a line: ESC [ digits m.
func sgrLength(line []byte) int {
	if len(line) < 3 || line[0] != 0x1b || line[1] != '[' {
		return 0
	}
	for i := 2; i < len(line); i++ {
		switch c := line[i]; {
		case c == 'm':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// SGRReset resets all colours.
const SGRReset = "\x1b[0m"

// SGRResets reports whether a colour sequence resets all colours.
func SGRResets(sgr []byte) bool {
	for _, c := range sgr[2 : len(sgr)-1] {
		if c != '0' && c != ';' {
			return false
		}
	}
	return true
}

// sgrConceals reports whether a colour sequence makes text invisible (8). It ignores an 8 that is part of a colour
// (38;5;8, 38;2;8;8;8).
func sgrConceals(sgr []byte) bool {
	params := bytes.Split(sgr[2:len(sgr)-1], []byte{';'})
	for i := 0; i < len(params); i++ {
		code, _, _ := bytes.Cut(params[i], []byte{':'})
		switch string(bytes.TrimLeft(code, "0")) {
		case "8":
			return true
		case "38", "48", "58":
			if len(code) < len(params[i]) || i+1 >= len(params) {
				break // the rest of the colour follows colons, or is missing
			}
			switch string(bytes.TrimLeft(params[i+1], "0")) {
			case "5":
				i += 2
			case "2":
				i += 4
			}
		}
	}
	return false
}

// VisibleLine returns the part of a line that is visible on a terminal: what comes after the last carriage
// return that is not at its end.
func VisibleLine(line []byte) []byte {
	line = bytes.TrimRight(line, "\r")
	return line[bytes.LastIndexByte(line, '\r')+1:]
}

// Overwritten removes what a carriage return has overwritten from an unfinished line.
func Overwritten(line []byte) []byte {
	seen := VisibleLine(line)
	if len(seen) == len(line) {
		return line
	}
	end := len(bytes.TrimRight(line, "\r"))
	return append(line[:0], line[end-len(seen):]...)
}

// Clean returns a line of text without colours and tabs, for a cell of the tree or the summary.
func Clean(text string) string {
	clean := AppendClean(nil, []byte(text), false, nil)
	return strings.ReplaceAll(string(clean), "\t", " ")
}

// runeWidth returns how many columns a terminal takes for a rune: 0, 1 or 2.
func runeWidth(r rune) int {
	switch {
	case r < 0x7f:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
		return 1
	}
	return 1
}

// Width returns the number of columns of a text without control characters.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// Cut shortens a text to a number of columns. A shortened text ends with ellipsis.
func Cut(text string, columns int, ellipsis string) string {
	if Width(text) <= columns {
		return text
	}
	return headOf(text, columns-Width(ellipsis)) + headOf(ellipsis, columns)
}

// CutMiddle shortens a text to a number of columns by removing its middle, as names of generated
// tasks differ at their ends.
func CutMiddle(text string, columns int, ellipsis string) string {
	if Width(text) <= columns {
		return text
	}
	room := columns - Width(ellipsis)
	if room < 4 {
		return Cut(text, columns, ellipsis)
	}
	head := headOf(text, room/2)
	return head + ellipsis + tailOf(text, room-Width(head))
}

// headOf returns the longest beginning of a text that fits into columns.
func headOf(text string, columns int) string {
	for i, r := range text {
		if columns -= runeWidth(r); columns < 0 {
			return text[:i]
		}
	}
	return text
}

// tailOf returns the longest end of a text that fits into columns.
func tailOf(text string, columns int) string {
	for i := len(text); i > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if columns -= runeWidth(r); columns < 0 {
			return text[i:]
		}
		i -= n
	}
	return text
}

// WholeRunes returns the number of bytes before an incomplete character at the end of a text.
func WholeRunes(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRune(text[i:]) {
				break
			}
			return i
		}
	}
	return len(text)
}
