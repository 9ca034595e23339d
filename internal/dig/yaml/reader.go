package yaml

import (
	"strings"
	"unicode/utf8"
)

// window is the part of the text that a reader has in its buffer at one time. Messages show only
// this part of a line.
type window struct{ start, end int }

// chunk is the number of UTF-16 units that SnakeYAML reads at a time.
const chunk = 1024

// reader walks through a text. It looks at characters in the same order as SnakeYAML and
// "loads" the text in the same chunks: a forbidden character is found when its chunk is
// loaded. After a failure it is at the end of the text.
type reader struct {
	text    string // valid UTF-8
	pos     int    // byte offset
	limit   int    // end of what is loaded
	index   int    // characters before pos
	line    int
	column  int
	ended   bool
	windows []window
	failure *Error
}

func newReader(text string) *reader {
	return &reader{text: text, windows: []window{{}}}
}

func (r *reader) mark() Mark {
	return Mark{int32(r.pos), int32(r.line), int32(r.column), int32(len(r.windows) - 1)} //nolint:gosec // texts are below 2 GB
}

func (r *reader) describe(m Mark) string { return describe(r.text, r.windows[m.window], m) }

// fail keeps the first failure and ends the text.
func (r *reader) fail(e *Error) {
	if r.failure != nil {
		return
	}
	r.failure = e
	r.pos, r.limit, r.ended = len(r.text), len(r.text), true
}

// load loads the next chunk.
func (r *reader) load() {
	if r.ended {
		return
	}
	if r.limit >= len(r.text) {
		r.ended = true
		return
	}
	start := r.limit
	for units := 0; units < chunk && r.limit < len(r.text); units++ {
		c, size := utf8.DecodeRuneInString(r.text[r.limit:])
		r.limit += size
		if c >= 0x10000 {
			units++
		}
	}
	r.windows = append(r.windows, window{r.pos, r.limit})
	for i, c := range r.text[start:r.limit] {
		if !isPrintable(c) {
			r.refuse(start + i)
			return
		}
	}
}

// refuse reports a forbidden character (language L10).
func (r *reader) refuse(at int) {
	m := placeOf(r.text, at)
	m.window = int32(len(r.windows) - 1) //nolint:gosec // see mark
	const problem = "special characters are not allowed"
	r.fail(&Error{Kind: KindReader, Problem: problem, Place: m, message: problem})
}

func placeOf(text string, at int) Mark {
	m := Mark{Offset: int32(at)} //nolint:gosec // see mark
	start := lineStart(text, at)
	m.Column = int32(utf8.RuneCountInString(text[start:at])) //nolint:gosec // see mark
	m.Line = int32(strings.Count(text[:start], "\n"))        //nolint:gosec // see mark
	return m
}

// at returns the character at a byte offset, and its size: eof and 0 after the end.
func (r *reader) at(offset int) (rune, int) {
	if offset >= r.limit {
		r.load()
		if offset >= r.limit {
			return eof, 0
		}
	}
	if c := r.text[offset]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(r.text[offset:])
}

// peek returns the character at the reader's position.
func (r *reader) peek() rune {
	c, _ := r.at(r.pos)
	return c
}

// peekNext returns the character after the one at the reader's position.
func (r *reader) peekNext() rune {
	_, size := r.at(r.pos)
	c, _ := r.at(r.pos + size)
	return c
}

// peekAfter returns the character after the next n, and the offset where it stands.
func (r *reader) peekAfter(n int) (rune, int) {
	offset := r.after(r.pos, n)
	if offset >= r.limit && r.pos < len(r.text) {
		from := r.pos
		r.load()
		offset = r.after(max(from, r.pos), n)
	}
	c, _ := r.at(offset)
	return c, max(offset, r.pos)
}

// after returns the offset n characters after another one, within the loaded text.
func (r *reader) after(offset, n int) int {
	for ; n > 0 && offset < r.limit; n-- {
		_, size := utf8.DecodeRuneInString(r.text[offset:])
		offset += size
	}
	return offset
}

// forward goes on by n characters, counting lines.
func (r *reader) forward(n int) {
	for range n {
		c, size := r.at(r.pos)
		if size == 0 {
			return
		}
		r.pos += size
		r.index++
		switch {
		case c == '\n' || c == '\u0085' || c == '\u2028' || c == '\u2029' || c == '\r' && r.endsLine():
			r.line++
			r.column = 0
		case c != '\uFEFF':
			r.column++
		}
	}
}

// endsLine reports whether a carriage return that was just read is a line break of its own.
func (r *reader) endsLine() bool {
	c, size := r.at(r.pos)
	return size > 0 && c != '\n'
}

// take moves to the byte offset end, within the line, and returns the text in between.
func (r *reader) take(end int) string {
	if end < r.pos {
		return "" // the text was ended by a failure
	}
	s := r.text[r.pos:end]
	n := len(s)
	if !isASCII(s) {
		n = utf8.RuneCountInString(s)
	}
	r.pos = end
	r.index += n
	r.column += n
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// skipSpaces goes on to the first character that is not a space.
func (r *reader) skipSpaces() {
	end := r.pos
	for {
		if c, _ := r.at(end); c != ' ' {
			break
		}
		end++
	}
	r.take(end)
}

// stepSpaces is skipSpaces one by one, as SnakeYAML does in places.
func (r *reader) stepSpaces() {
	for r.peek() == ' ' {
		r.forward(1)
	}
}

// skipLine moves to the end of the line, over text without meaning.
func (r *reader) skipLine() {
	from := r.pos
	r.toBreak()
	if skipped := r.text[from:r.pos]; r.failure == nil && !isASCII(skipped) {
		r.column -= strings.Count(skipped, byteOrderMark) // SnakeYAML does not count them here
	}
}

// toBreak goes on to the end of the line.
func (r *reader) toBreak() {
	end := r.pos
	for {
		c, size := r.at(end)
		if isBreak(c) {
			break
		}
		end += size
	}
	r.take(end)
}

// lineBreak reads a line break and returns it: a newline for all but the two of Unicode, and nothing
// if there is none.
func (r *reader) lineBreak() string {
	switch c := r.peek(); c {
	case '\r':
		if r.peekNext() == '\n' {
			r.forward(2)
		} else {
			r.forward(1)
		}
		return "\n"
	case '\n', '\u0085':
		r.forward(1)
		return "\n"
	case '\u2028', '\u2029':
		r.forward(1)
		return string(c)
	default:
		return ""
	}
}
