package yaml

import "strings"

// fetchPlain makes a token of a scalar without quotes. Continued lines are joined: one line break
// becomes a space, and several become one less.
func (s *scanner) fetchPlain() {
	s.savePossibleKey()
	s.keyAllowed = false
	start := s.mark()
	end := start
	indent := s.indent + 1
	// The text is usually one piece of the input. folded has what came before line breaks.
	var folded strings.Builder
	piece := s.pos
	stop := s.pos
	for s.peek() != '#' {
		to := s.plainEnd()
		if to == s.pos {
			break
		}
		s.keyAllowed = false
		s.take(to)
		end, stop = s.mark(), to
		spaces, joined := s.plainSpaces()
		if spaces == "" || s.peek() == '#' || s.flowLevel == 0 && s.column < indent {
			break
		}
		if joined {
			if s.plainEnd() == s.pos {
				break
			}
			folded.WriteString(s.text[piece:stop])
			folded.WriteString(spaces)
			piece, stop = s.pos, s.pos
		}
	}
	value := s.text[piece:stop]
	if folded.Len() > 0 {
		folded.WriteString(value)
		value = folded.String()
	}
	s.tokens = append(s.tokens, token{kind: tokenScalar, plain: true, start: start, end: end, value: value})
}

// plainEnd returns the offset where a piece of a plain scalar without spaces ends.
func (s *scanner) plainEnd() int {
	inFlow := s.flowLevel != 0
	for i := s.pos; ; {
		c, size := s.at(i)
		switch {
		case isSpaceOrBreak(c):
			return i
		case c == ':':
			next, _ := s.at(i + 1)
			if isSpaceOrBreak(next) || inFlow && has(next, classFlow) {
				return i
			}
		case inFlow && (c == '?' || has(c, classFlow)):
			return i
		}
		i += size
	}
}

// plainSpaces reads the white space within or after a plain scalar. It returns what it stands for
// if the scalar continues, and whether it has line breaks. Both are empty if the scalar cannot continue.
func (s *scanner) plainSpaces() (spaces string, joined bool) {
	end := s.pos
	for {
		c, _ := s.at(end)
		if c != ' ' && c != '\t' {
			break
		}
		end++
	}
	blanks := s.take(end)
	first := s.lineBreak()
	if first == "" {
		return blanks, false
	}
	s.keyAllowed = true
	if s.endsDocument() {
		return "", true
	}
	var breaks strings.Builder
	for {
		s.stepSpaces()
		again := s.lineBreak()
		if again == "" {
			break
		}
		breaks.WriteString(again)
		if s.endsDocument() {
			return "", true
		}
	}
	return fold(first, breaks.String()), true
}

// endsDocument reports whether a line begins that ends a plain scalar: any "---", or "..." alone.
func (s *scanner) endsDocument() bool {
	return s.hasPrefix("---") || s.hasPrefix("...") && s.spaceAfterIndicator()
}

// fold returns what line breaks within a scalar become.
func fold(first, more string) string {
	switch {
	case first != "\n":
		return first + more
	case more == "":
		return " "
	default:
		return more
	}
}
