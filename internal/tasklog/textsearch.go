package tasklog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
	"unicode/utf8"
)

// Search is what is looked for in a Text, and how long.
type Search struct {
	Pattern *Pattern
	From    int64 // only what begins at this offset or later
	Limit   int   // matches that are listed
	// Count says that matches are counted when Limit is reached. Otherwise the search then ends.
	Count bool
	// MaxBytes and Until end the search. A first piece is always searched.
	MaxBytes int64
	Until    time.Time
	Now      func() time.Time
}

// Match is a place that matches.
type Match struct {
	Offset        int64 // of the match
	Line          int64 // from 1
	Task          string
	Text          string // the line, or what is around the match of a long one
	Column        int    // of the match in Text, in UTF-16 units
	Length        int    // likewise
	Before, After []string
}

// Found is the result of a search.
type Found struct {
	Matches []Match
	Count   int64 // of all matches from Search.From to ScannedTo
	// ScannedTo is the offset up to which all matches are counted. It is where to go on, unless it is the end of the text.
	ScannedTo int64
}

const (
	// shownBytes is how much of a line is shown.
	shownBytes = 512
	// shownBefore is how much of a long line is shown before the match.
	shownBefore = 128
	// aroundLines is how many lines are shown before and after.
	aroundLines = 2
)

// Search looks for matches in lines. In lines of more than 16 KiB, one may be missed where the search cuts them.
func (t *Text) Search(ctx context.Context, q Search) (*Found, error) {
	from := min(max(q.From, 0), t.Size)
	first, err := t.Read(ctx, from, 1)
	if err != nil {
		return nil, err
	}
	s := &searching{Search: q, text: t, found: &Found{}, base: first.Start, line: first.Line, stop: first.Start + q.MaxBytes}
	s.From = from
	begin, end := t.around(first.Start)
	before := min(first.Start-begin, leastStep)
	if s.buffer, err = t.bytes(ctx, first.Start-before, before); err != nil {
		return nil, err
	}
	s.end = end
	s.keep(len(s.buffer))
	s.stream = t.Open(ctx, first.Start)
	err = s.run(ctx)
	s.found.ScannedTo = max(s.found.ScannedTo, from)
	return s.found, errors.Join(err, s.stream.Close())
}

// searching is a search that goes on.
type searching struct {
	Search

	text   *Text
	stream io.ReadCloser
	found  *Found
	buffer []byte // some lines before, then what is not searched yet
	next   int    // where in the buffer that begins
	base   int64  // the offset of it
	line   int64  // the number of its first line
	end    int64  // the offset at which the present task's output ends
	stop   int64  // the offset behind which the search ends
}

func (s *searching) run(ctx context.Context) error {
	for s.base < s.text.Size {
		if _, end := s.text.around(s.base); end != s.end {
			s.buffer, s.next, s.end = nil, 0, end // lines before are of another task
		}
		if err := s.fill(); err != nil {
			return err
		}
		if !s.search(s.zone()) {
			return nil
		}
		s.found.ScannedTo = s.base
		if s.base >= s.stop || !s.Now().Before(s.Until) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	s.found.ScannedTo = s.base
	return nil
}

// fill reads on until the buffer has enough for a step and for the lines after it.
func (s *searching) fill() error {
	want := int(min(int64(s.Pattern.step+min(s.Pattern.step, wholeLine)), s.end-s.base))
	have := len(s.buffer) - s.next
	if have >= want {
		return nil
	}
	whole := make([]byte, s.next+want)
	copy(whole, s.buffer)
	s.buffer = whole
	_, err := io.ReadFull(s.stream, s.buffer[s.next+have:])
	return err
}

// zone returns where in the buffer the next step ends: behind a line, and two lines before the end of the buffer where that is possible.
func (s *searching) zone() int {
	rest := s.buffer[s.next:]
	if s.base+int64(len(rest)) >= s.end {
		return len(s.buffer)
	}
	cut := len(rest)
	for range aroundLines + 1 {
		at := bytes.LastIndexByte(rest[:cut], '\n')
		if at < 0 {
			break
		}
		cut = at
	}
	if cut < len(rest) && rest[cut] == '\n' {
		return s.next + cut + 1
	}
	return s.next + wholeRunes(rest) // a line that is cut anyway
}

// search searches up to an offset of the buffer, and reports whether to go on.
func (s *searching) search(end int) bool {
	lines, goOn := s.buffer[s.next:end], true
	counted := 0 // up to where line ends are counted
	s.Pattern.find(lines, func(begin, after int) bool {
		if s.base+int64(begin) < s.From {
			return true
		}
		s.found.Count++
		if len(s.found.Matches) < s.Limit {
			s.line += int64(bytes.Count(lines[counted:begin], []byte{'\n'}))
			counted = begin
			s.found.Matches = append(s.found.Matches, s.match(s.next+begin, s.next+after))
		}
		if !s.Count && len(s.found.Matches) >= s.Limit {
			s.found.ScannedTo, goOn = s.base+int64(after), false
		}
		return goOn
	})
	if !goOn {
		return false
	}
	s.line += int64(bytes.Count(lines[counted:], []byte{'\n'}))
	s.base += int64(len(lines))
	s.keep(end)
	return true
}

// keep drops what is before an offset of the buffer, but for what may be shown before the next match.
func (s *searching) keep(end int) {
	at := end
	for range aroundLines + 1 {
		if at = bytes.LastIndexByte(s.buffer[:at], '\n'); at < 0 {
			break
		}
	}
	at = max(at+1, end-leastStep, 0)
	s.buffer, s.next = s.buffer[at:], end-at
}

// match describes what lies between two offsets of the buffer.
func (s *searching) match(begin, end int) Match {
	low := bytes.LastIndexByte(s.buffer[:begin], '\n') + 1
	high := len(s.buffer)
	if at := bytes.IndexByte(s.buffer[end:], '\n'); at >= 0 {
		high = end + at
	}
	m := Match{Offset: s.base + int64(begin-s.next), Line: s.line}
	if s.text.several {
		m.Task = s.text.Task(m.Offset)
	}
	for at, n := low, 0; n < aroundLines && at > 0; n++ {
		previous := bytes.LastIndexByte(s.buffer[:at-1], '\n') + 1
		m.Before = append([]string{shown(s.buffer[previous : at-1])}, m.Before...)
		at = previous
	}
	for at, n := high+1, 0; n < aroundLines && at < len(s.buffer); n++ {
		line, _, _ := bytes.Cut(s.buffer[at:], []byte{'\n'})
		m.After = append(m.After, shown(line))
		at += len(line) + 1
	}
	if high-low > shownBytes {
		low = max(low, begin-shownBefore)
		for low < begin && !utf8.RuneStart(s.buffer[low]) {
			low++
		}
	}
	m.Text = shown(s.buffer[low:high])
	m.Column = units(s.buffer[low:begin])
	m.Length = units(s.buffer[begin:min(end, low+len(m.Text))])
	return m
}

// shown is a line as far as it is shown.
func shown(line []byte) string {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(line) > shownBytes {
		line = line[:wholeRunes(line[:shownBytes])]
	}
	return string(line)
}

// units is the length of text in UTF-16, with one unit for each byte that is no character.
func units(text []byte) (n int) {
	for _, r := range string(text) {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
