package yaml

import (
	"strings"
)

// chomping says what happens to the line breaks at the end of a block scalar.
type chomping uint8

const (
	clip chomping = iota // one stays
	strip
	keep
)

const scanningBlock = "while scanning a block scalar"

// fetchBlockScalar makes a token of a scalar after '|' or '>'.
func (s *scanner) fetchBlockScalar(style rune) {
	s.keyAllowed = true
	s.dropPossibleKey()
	start := s.mark()
	s.forward(1)
	chomp, increment := s.blockHeader(start)
	s.ignoredLine(scanningBlock, start)
	indent := max(s.indent+1, 1)
	var breaks strings.Builder
	var end Mark
	if increment < 0 {
		var deepest int
		deepest, end = s.blockIndent(&breaks)
		indent = max(indent, deepest)
	} else {
		indent += increment - 1
		end = s.blockBreaks(&breaks, indent)
	}
	var value strings.Builder
	last := ""
	for s.column == indent && s.peek() != eof {
		value.WriteString(breaks.String())
		breaks.Reset()
		flush := !isIndentation(s.peek())
		from := s.pos
		s.toBreak()
		value.WriteString(s.text[from:s.pos])
		last = s.lineBreak()
		end = s.blockBreaks(&breaks, indent)
		if s.column != indent || s.peek() == eof {
			break
		}
		if style != '>' || last != "\n" || !flush || isIndentation(s.peek()) {
			value.WriteString(last)
		} else if breaks.Len() == 0 {
			value.WriteByte(' ')
		}
	}
	if chomp != strip {
		value.WriteString(last)
	}
	if chomp == keep {
		value.WriteString(breaks.String())
	}
	s.tokens = append(s.tokens, token{kind: tokenScalar, start: start, end: end, value: value.String()})
}

func isIndentation(c rune) bool { return c == ' ' || c == '\t' }

// blockHeader reads the indicators after '|' or '>': chomping, and the indentation or -1.
func (s *scanner) blockHeader(start Mark) (chomp chomping, increment int) {
	increment = -1
	if c := s.peek(); c == '-' || c == '+' {
		chomp = s.chomping(c)
		increment = s.increment(start)
	} else if has(c, classDigit) {
		increment = s.increment(start)
		if c := s.peek(); c == '-' || c == '+' {
			chomp = s.chomping(c)
		}
	}
	if c := s.peek(); !isBlankOrBreak(c) {
		s.scanWanted(scanningBlock, start, "chomping or indentation indicators", c)
	}
	return chomp, increment
}

func (s *scanner) chomping(c rune) chomping {
	s.forward(1)
	if c == '+' {
		return keep
	}
	return strip
}

func (s *scanner) increment(start Mark) int {
	c := s.peek()
	if !has(c, classDigit) {
		return -1
	}
	n := int(c - '0')
	if n == 0 {
		s.scanFault(scanningBlock, start,
			"expected indentation indicator in the range 1-9, but found 0")
	}
	s.forward(1)
	return n
}

// ignoredLine reads the rest of a line: spaces and a comment.
func (s *scanner) ignoredLine(context string, start Mark) {
	s.stepSpaces()
	if s.peek() == '#' {
		for !isBreak(s.peek()) {
			s.forward(1)
		}
	}
	c := s.peek()
	if s.lineBreak() == "" && c != eof {
		s.scanWanted(context, start, "a comment or a line break", c)
	}
}

// blockIndent reads empty lines up to the first that has text, and returns the deepest indentation.
func (s *scanner) blockIndent(breaks *strings.Builder) (deepest int, end Mark) {
	end = s.mark()
	for {
		switch c := s.peek(); {
		case c == ' ':
			s.stepSpaces()
			deepest = max(deepest, s.column)
		case c != eof && isBreak(c):
			breaks.WriteString(s.lineBreak())
			end = s.mark()
		default:
			return deepest, end
		}
	}
}

// blockBreaks reads empty lines and the indentation of the line after them.
func (s *scanner) blockBreaks(breaks *strings.Builder, indent int) (end Mark) {
	end = s.mark()
	for {
		for s.column < indent && s.peek() == ' ' {
			s.forward(1)
		}
		again := s.lineBreak()
		if again == "" {
			return end
		}
		breaks.WriteString(again)
		end = s.mark()
	}
}
