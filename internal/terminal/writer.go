package terminal

import (
	"bytes"
	"io"
	"sync"
)

// Writer stands between a command and a terminal. Commands print text from outside: names, parameters, output of
// tasks, answers of a server. All of it is made harmless here with
// AppendClean, so that no command can forget to. Line feeds, tabs and colours stay, and colours end with their line.
// It is safe for concurrent use.
type Writer struct {
	to io.Writer

	mu      sync.Mutex
	rest    []byte // an incomplete character or sequence at the end of what was written
	colored bool   // a colour is active in this line
}

// NewWriter returns a Writer to a terminal.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Behind returns the terminal itself.
func (t *Writer) Behind() io.Writer { return t.to }

// Write implements io.Writer.
func (t *Writer) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, data...)
	whole := wholeText(t.rest)
	_, err := t.to.Write(t.appendLines(make([]byte, 0, len(t.rest)+16), t.rest[:whole]))
	t.rest = append(t.rest[:0], t.rest[whole:]...)
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

// appendLines appends text as the terminal may get it.
func (t *Writer) appendLines(dst, text []byte) []byte {
	see := func(sgr []byte) { t.colored = !SGRResets(sgr) }
	for {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if ended {
			line = bytes.TrimSuffix(line, []byte{'\r'})
		}
		dst = AppendClean(dst, line, true, see)
		if !ended {
			return dst
		}
		if t.colored {
			dst, t.colored = append(dst, SGRReset...), false
		}
		dst, text = append(dst, '\n'), rest
	}
}

// Flush writes what is held back, and resets colours.
func (t *Writer) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.appendLines(nil, t.rest)
	if t.colored {
		text = append(text, SGRReset...)
	}
	t.rest, t.colored = nil, false
	if len(text) > 0 {
		_, _ = t.to.Write(text) // the writer of standard output keeps its error
	}
}

// longestSequence is the largest length of a colour sequence that is written in parts.
const longestSequence = 64

// wholeText returns the number of bytes before an incomplete character, colour sequence or line end of
// two bytes at the end of a text.
func wholeText(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return n - 1
	}
	if at := bytes.LastIndexByte(text, 0x1b); at >= 0 && len(text)-at < longestSequence && sgrBegins(text[at:]) {
		return at
	}
	return WholeRunes(text)
}

// sgrBegins reports whether a text, which begins with an escape character, may be the beginning of a longer colour
// sequence.
func sgrBegins(text []byte) bool {
	for i, c := range text[1:] {
		if i == 0 && c == '[' || i > 0 && (c >= '0' && c <= '9' || c == ';' || c == ':') {
			continue
		}
		return false
	}
	return true
}
