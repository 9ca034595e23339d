package yaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const scanningQuoted = "while scanning a quoted scalar"

// simpleEscape returns what an escape of a double-quoted scalar stands for, if it is one character.
func simpleEscape(c rune) (r rune, ok bool) {
	const names = `0abtnvfre "\N_LP`
	i := strings.IndexRune(names, c)
	if i < 0 {
		return 0, false
	}
	return []rune("\x00\a\b\t\n\v\f\r\x1b \"\\\u0085\u00a0\u2028\u2029")[i], true
}

// escapeDigits returns how many hexadecimal digits an escape has, or 0.
func escapeDigits(c rune) int {
	switch c {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	default:
		return 0
	}
}

// fetchQuoted makes a token of a scalar in quotes.
func (s *scanner) fetchQuoted(quote rune) {
	s.savePossibleKey()
	s.keyAllowed = false
	start := s.mark()
	s.forward(1)
	value := s.quotedText(quote, start)
	s.forward(1)
	s.tokens = append(s.tokens, token{kind: tokenScalar, start: start, end: s.mark(), value: value})
}

func (s *scanner) quotedText(quote rune, start Mark) string {
	if end := s.verbatimEnd(quote); end >= 0 {
		return s.take(end)
	}
	var b strings.Builder
	s.quotedPart(&b, quote, start)
	for s.failure == nil && s.peek() != quote {
		s.quotedSpaces(&b, start)
		s.quotedPart(&b, quote, start)
	}
	return joinSurrogates(b.String())
}

// verbatimEnd returns the offset of the closing quote if the scalar has neither escapes nor line
// breaks and is already loaded, else -1.
func (s *scanner) verbatimEnd(quote rune) int {
	for i := s.pos; i < s.limit; i++ {
		switch c := rune(s.text[i]); {
		case c == quote:
			if i+1 < s.limit && (quote == '"' || s.text[i+1] != '\'') {
				return i
			}
			return -1
		case c == '\\' && quote == '"', c >= utf8.RuneSelf, isBreak(c):
			return -1
		}
	}
	return -1
}

// quotedEnd returns the offset of the next quote, backslash or white space.
func (s *scanner) quotedEnd() int {
	for i := s.pos; ; {
		c, size := s.at(i)
		if c == '\'' || c == '"' || c == '\\' || isSpaceOrBreak(c) {
			return i
		}
		i += size
	}
}

// quotedPart reads up to white space or the end of the scalar.
func (s *scanner) quotedPart(b *strings.Builder, quote rune, start Mark) {
	for s.failure == nil {
		b.WriteString(s.take(s.quotedEnd()))
		c := s.peek()
		switch {
		case quote == '\'' && c == '\'' && s.peekNext() == '\'':
			b.WriteByte('\'')
			s.forward(2)
		case quote == '"' && c == '\'', quote == '\'' && (c == '"' || c == '\\'):
			b.WriteRune(c)
			s.forward(1)
		case quote == '"' && c == '\\':
			s.forward(1)
			s.escape(b, start)
		default:
			return
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape(b *strings.Builder, start Mark) {
	const context = "while scanning a double-quoted scalar"
	c := s.peek()
	if r, ok := simpleEscape(c); ok {
		b.WriteRune(r)
		s.forward(1)
		return
	}
	digits := escapeDigits(c)
	if digits == 0 {
		if s.lineBreak() == "" {
			s.scanFault(context, start, fmt.Sprintf("found unknown escape character %s(%d)", text(c), c))
			return
		}
		s.quotedBreaks(b, start)
		return
	}
	s.forward(1)
	_, end := s.peekAfter(digits)
	hex := s.text[s.pos:end]
	code, bad := parseHex(hex)
	if bad {
		s.scanFault(context, start, fmt.Sprintf(
			"expected escape sequence of %d hexadecimal numbers, but found: %s", digits, hex))
		return
	}
	if code > 0x10ffff {
		s.fail(&Error{
			Kind: "illegal argument", Problem: "no such character", Place: s.mark(),
			message: fmt.Sprintf("Not a valid Unicode code point: 0x%X", code),
		})
		return
	}
	b.Write(appendCode(nil, rune(code)))
	s.forward(digits)
}

func parseHex(hex string) (code uint64, bad bool) {
	code, err := strconv.ParseUint(hex, 16, 31)
	return code, err != nil
}

// text returns a character as messages show it. The end of the text is shown as U+0000.
func text(c rune) string { return string(c) }

// Half of a surrogate pair has no UTF-8 form. Its three bytes are kept until the scalar is
// complete, and then joined with the other half. A single half becomes '?', as in Java.
func appendCode(dst []byte, c rune) []byte {
	if !utf16.IsSurrogate(c) {
		return append(dst, string(c)...)
	}
	return append(dst, 0xe0|byte(c>>12), 0x80|byte(c>>6)&0xbf, 0x80|byte(c)&0xbf)
}

func joinSurrogates(s string) string {
	if !strings.Contains(s, "\xed") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		high := surrogateAt(s, i)
		if high == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		if r := utf16.DecodeRune(high, surrogateAt(s, i+3)); r != '\uFFFD' {
			b.WriteRune(r)
			i += 6
			continue
		}
		b.WriteByte('?')
		i += 3
	}
	return b.String()
}

// surrogateAt returns the half pair whose three bytes stand at i, or 0.
func surrogateAt(s string, i int) rune {
	if i+3 > len(s) || s[i] != 0xed || s[i+1] < 0xa0 || s[i+1] > 0xbf {
		return 0
	}
	return 0xd000 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
}

// quotedSpaces reads white space within a quoted scalar.
func (s *scanner) quotedSpaces(b *strings.Builder, start Mark) {
	end := s.pos
	for {
		c, _ := s.at(end)
		if c != ' ' && c != '\t' {
			break
		}
		end++
	}
	blanks := s.take(end)
	if s.peek() == eof {
		s.scanFault(scanningQuoted, start, "found unexpected end of stream")
		return
	}
	first := s.lineBreak()
	if first == "" {
		b.WriteString(blanks)
		return
	}
	var breaks strings.Builder
	s.quotedBreaks(&breaks, start)
	switch {
	case first != "\n":
		b.WriteString(first)
	case breaks.Len() == 0:
		b.WriteByte(' ')
	}
	b.WriteString(breaks.String())
}

// quotedBreaks reads further line breaks within a quoted scalar, with the white space around them.
func (s *scanner) quotedBreaks(b *strings.Builder, start Mark) {
	for {
		if (s.hasPrefix("---") || s.hasPrefix("...")) && s.spaceAfterIndicator() {
			s.scanFault(scanningQuoted, start, "found unexpected document separator")
			return
		}
		for c := s.peek(); c == ' ' || c == '\t'; c = s.peek() {
			s.forward(1)
		}
		again := s.lineBreak()
		if again == "" {
			return
		}
		b.WriteString(again)
	}
}
