package template

import "strings"

// piece is a part of a text: literal text as it is shown, or the code between ${ and }.
type piece struct {
	text string
	code bool
}

// scanner cuts a text into pieces (language T11 to T15).
type scanner struct {
	rest     string
	extended bool
	pending  piece // found with the piece before it
}

func newScanner(text string, extended bool) scanner {
	return scanner{rest: text, extended: extended}
}

// next returns the pieces from left to right; none of them is empty.
func (s *scanner) next() (piece, bool) {
	for {
		if p := s.pending; p.text != "" {
			s.pending = piece{}
			return p, true
		}
		if s.rest == "" {
			return piece{}, false
		}
		if p := s.advance(); p.text != "" {
			return p, true
		}
	}
}

// advance takes literal text up to the next expression, and that expression, from the rest.
func (s *scanner) advance() piece {
	start := opening(s.rest)
	if start < 0 {
		return s.literal(len(s.rest))
	}
	length := s.codeLength(s.rest[start+2:])
	if length < 0 {
		return s.unclosed(start)
	}
	code := s.rest[start+2 : start+2+length]
	before := s.literal(start)
	s.rest = s.rest[2+length+1:]
	s.pending = piece{text: code, code: true}
	return before
}

// unclosed takes the whole rest. In extended syntax the dollars before the ${ and those after it
// are paired separately.
func (s *scanner) unclosed(start int) piece {
	if !s.extended {
		return s.literal(len(s.rest))
	}
	before := s.literal(start)
	s.pending = s.literal(len(s.rest))
	return before
}

// literal takes n bytes from the rest. Two dollars in them become one (language T14).
func (s *scanner) literal(n int) piece {
	text := s.rest[:n]
	s.rest = s.rest[n:]
	return piece{text: strings.ReplaceAll(text, "$$", "$")}
}

// opening finds the first ${ that something follows. It skips one that is followed by a word of lower-case letters and
// a colon, which is left to operators (language T11).
func opening(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "${")
		if i < 0 || from+i+2 == len(text) {
			return -1
		}
		i += from
		if !operatorPlaceholder(text[i+2:]) {
			return i
		}
		from = i + 2
	}
}

func operatorPlaceholder(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c == ':' {
			return i > 0
		}
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return false
}

// codeLength returns the number of bytes up to the closing brace, or -1. This is the brace that balances all
// before it, even in strings (language T12), or in plain syntax the first one, which cannot
// directly follow the opening (language T13).
func (s *scanner) codeLength(text string) int {
	if !s.extended {
		i := strings.IndexByte(text[1:], '}')
		if i < 0 {
			return -1
		}
		return i + 1
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
