package tasklog

import (
	"bytes"
	"unicode/utf8"
)

// errorMark is a text by which a line looks like an error. It has at least markBytes bytes.
type errorMark struct {
	text []byte
	word bool // letters, digits and underscores must stand on neither side
	end  bool // the line must end with it
}

// markBytes is the length of the shortest mark.
const markBytes = 5

// errorMarks are the texts by which programs begin or name errors. Counts, as in "0 errors", are none. Beginnings that may be
// capital letters are left out.
func errorMarks() []errorMark {
	mark := func(text string) errorMark { return errorMark{text: []byte(text)} }
	word := func(text string) errorMark { return errorMark{text: []byte(text), word: true} }
	return []errorMark{
		word("ERROR"), word("FATAL"), word("CRITICAL"), word("SEVERE"),
		mark("rror:"), // error:, Error:, ValueError:
		mark("atal:"), mark("panic:"), mark("xception:"), mark("xception in thread"),
		{text: []byte("xception"), end: true},
		mark("aused by:"),
		mark("raceback (most recent call last)"), mark("*** ["), // make: *** [all] Error 2
		mark("level=error"), mark("level=fatal"), mark(`"level":"error"`), mark(`"level":"fatal"`),
		mark("command not found"), mark("o such file or directory"), mark("ermission denied"), mark("egmentation fault"), mark("ut of memory"),
	}
}

// errorFinder finds lines that look like errors. It is safe for concurrent use.
type errorFinder struct {
	byFirst [256][]errorMark
	// skip says by two bytes of a text how many bytes before them no mark can begin; zero if one may begin there (the algorithm
	// of Wu and Manber, from the end). Most text is passed over four bytes at a time.
	skip [1 << 16]uint8
}

func newErrorFinder() *errorFinder {
	f := &errorFinder{}
	for i := range f.skip {
		f.skip[i] = markBytes - 1
	}
	for _, m := range errorMarks() {
		f.byFirst[m.text[0]] = append(f.byFirst[m.text[0]], m)
		for i := range markBytes - 1 {
			at := int(m.text[i])<<8 | int(m.text[i+1])
			f.skip[at] = min(f.skip[at], uint8(i)) //nolint:gosec // less than markBytes
		}
	}
	return f
}

// last returns where the last line of a text begins that looks like an error, or -1. Lines that the server or the agent
// wrote themselves are none: they only repeat how the task ended.
func (f *errorFinder) last(text []byte) int {
	for at := len(text) - markBytes; at >= 0; {
		if skip := f.skip[int(text[at])<<8|int(text[at+1])]; skip > 0 {
			at -= int(skip)
			continue
		}
		if !f.markAt(text, at) {
			at--
			continue
		}
		begin, end := bytes.LastIndexByte(text[:at], '\n')+1, len(text)
		if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
			end = at + length
		}
		if !bytes.Contains(text[begin:end], ownLine()) {
			return begin
		}
		at = begin - markBytes
	}
	return -1
}

// ownLine begins the message of lines that the server or an agent wrote.
func ownLine() []byte { return []byte(") " + Class + ": ") }

// markAt reports whether there is a mark at an offset of a text.
func (f *errorFinder) markAt(text []byte, at int) bool {
	for i := range f.byFirst[text[at]] {
		m := &f.byFirst[text[at]][i]
		if !bytes.HasPrefix(text[at:], m.text) {
			continue
		}
		after := text[at+len(m.text):]
		switch {
		case m.end && !endsLine(after):
		case m.word && (partOfWord(text[:at], true) || partOfWord(after, false)):
		default:
			return true
		}
	}
	return false
}

// endsLine reports whether a text is empty or begins with the end of a line.
func endsLine(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\r"))
	return len(text) == 0 || text[0] == '\n'
}

// partOfWord reports whether a text ends, or begins, with a letter, a digit or an underscore.
func partOfWord(text []byte, last bool) bool {
	if len(text) == 0 {
		return false
	}
	c := text[0]
	if last {
		c = text[len(text)-1]
	}
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}
