package yaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fetchAnchor makes a token of "&name" or "*name".
func (s *scanner) fetchAnchor(indicator rune) {
	s.savePossibleKey()
	s.keyAllowed = false
	kind, context := tokenAnchor, "while scanning an anchor"
	if indicator == '*' {
		kind, context = tokenAlias, "while scanning an alias"
	}
	start := s.mark()
	s.forward(1)
	name := s.word()
	c := s.peek()
	if name == "" || !isSpaceOrBreak(c) && !strings.ContainsRune("?:,]}%@`", c) {
		s.scanWanted(context, start, "alphabetic or numeric character", c)
		return
	}
	s.tokens = append(s.tokens, token{kind: kind, start: start, end: s.mark(), value: name})
}

// word reads letters, digits, '-' and '_'.
func (s *scanner) word() string { return s.take(s.wordEnd(s.pos)) }

func (s *scanner) wordEnd(end int) int {
	for {
		c, _ := s.at(end)
		if c >= utf8.RuneSelf || !has(c, classWord) {
			return end
		}
		end++
	}
}

// fetchTag makes a token of "!<verbatim>", "!suffix", "!handle!suffix" or "!" alone.
func (s *scanner) fetchTag() {
	s.savePossibleKey()
	s.keyAllowed = false
	const context = "while scanning a tag"
	start := s.mark()
	t := token{kind: tokenTag, start: start}
	switch c := s.peekNext(); {
	case c == '<':
		s.forward(2)
		t.value = s.tagURI(context, start)
		if c := s.peek(); c != '>' {
			s.scanFault(context, start, fmt.Sprintf("expected '>', but found '%s' (%d)", text(c), c))
			return
		}
		s.forward(1)
	case isSpaceOrBreak(c):
		t.value = "!"
		s.forward(1)
	default:
		if s.tagHasHandle() {
			t.handle = s.tagHandle(context, start)
		} else {
			t.handle = "!"
			s.forward(1)
		}
		t.value = s.tagURI(context, start)
	}
	if c := s.peek(); !isBlankOrBreak(c) {
		s.scanFault(context, start, fmt.Sprintf("expected ' ', but found '%s' (%d)", text(c), c))
		return
	}
	t.end = s.mark()
	s.tokens = append(s.tokens, t)
}

// tagHasHandle reports whether a second '!' follows before the next blank.
func (s *scanner) tagHasHandle() bool {
	for i := s.pos + 1; ; {
		c, size := s.at(i)
		if c == '!' || isBlankOrBreak(c) {
			return c == '!'
		}
		i += size
	}
}

// tagHandle reads "!", "!!" or "!name!".
func (s *scanner) tagHandle(context string, start Mark) string {
	if c := s.peek(); c != '!' {
		s.scanWanted(context, start, "'!'", c)
		return ""
	}
	if s.peekNext() == ' ' {
		return s.take(s.pos + 1)
	}
	end := s.wordEnd(s.pos + 1)
	if c, _ := s.at(end); c != '!' {
		s.take(end)
		s.scanWanted(context, start, "'!'", c)
		return ""
	}
	return s.take(end + 1)
}

// tagURI reads the suffix of a tag, with its %-escapes.
func (s *scanner) tagURI(context string, start Mark) string {
	var b strings.Builder
	end := s.pos
	c, _ := s.at(end)
	for c < utf8.RuneSelf && has(c, classURI) {
		if c == '%' {
			b.WriteString(s.take(end))
			b.WriteString(s.uriEscapes(context, start))
			end = s.pos
		} else {
			end++
		}
		c, _ = s.at(end)
	}
	b.WriteString(s.take(end))
	if b.Len() == 0 {
		s.scanWanted(context, start, "URI", c)
	}
	return b.String()
}

// uriEscapes reads a row of %-escapes, which are bytes of UTF-8.
func (s *scanner) uriEscapes(context string, start Mark) string {
	begin := s.mark()
	var octets []byte
	for s.failure == nil && s.peek() == '%' {
		s.forward(1)
		_, end := s.peekAfter(2)
		n, err := strconv.ParseInt(s.text[s.pos:end], 16, 16)
		if err != nil {
			c1, c2 := s.peek(), s.peekNext()
			s.scanFault(context, start, fmt.Sprintf(
				"expected URI escape sequence of 2 hexadecimal numbers, but found %s(%d) and %s(%d)",
				text(c1), c1, text(c2), c2))
			return ""
		}
		octets = append(octets, byte(n)) //nolint:gosec // two digits
		s.forward(2)
	}
	if !utf8.Valid(octets) {
		problem := fmt.Sprintf("expected URI in UTF-8: Input length = %d", malformed(octets))
		s.report(fault{KindScanner, context, &start, problem, &begin})
		return ""
	}
	return string(octets)
}

// malformed returns the length of the first sequence of bytes that is not UTF-8, as Java counts it.
func malformed(octets []byte) int {
	for {
		if r, size := utf8.DecodeRune(octets); r != utf8.RuneError || size != 1 {
			octets = octets[size:]
			continue
		}
		break
	}
	// Bytes that begin a character which then breaks off belong together, and the three of half a surrogate pair.
	size, low, high := 1, byte(0x80), byte(0xbf) // of the character, and of its second byte
	switch lead := octets[0]; {
	case lead == 0xe0:
		size, low = 3, 0xa0
	case lead > 0xe0 && lead < 0xf0:
		size = 3
	case lead == 0xf0:
		size, low = 4, 0x90
	case lead > 0xf0 && lead < 0xf4:
		size = 4
	case lead == 0xf4:
		size, high = 4, 0x8f
	}
	length := 1
	for length < size && length < len(octets) && low <= octets[length] && octets[length] <= high {
		length, low, high = length+1, 0x80, 0xbf
	}
	return length
}

// fetchDirective makes a token of a line that begins with '%'.
func (s *scanner) fetchDirective() {
	s.unwind(-1)
	s.dropPossibleKey()
	s.keyAllowed = false
	const context = "while scanning a directive"
	start := s.mark()
	s.forward(1)
	t := token{kind: tokenDirective, start: start, value: s.directiveName(start)}
	switch t.value {
	case "YAML":
		t.prefix = s.directiveVersion(start)
		t.end = s.mark()
	case "TAG":
		s.stepSpaces()
		t.handle = s.tagHandle(context, start)
		s.directiveSpace(start, s.peek() == ' ')
		s.stepSpaces()
		t.prefix = s.tagURI(context, start)
		s.directiveSpace(start, isBlankOrBreak(s.peek()))
		t.end = s.mark()
	default:
		t.end = s.mark()
		s.skipLine()
	}
	s.ignoredLine(context, start)
	s.tokens = append(s.tokens, t)
}

func (s *scanner) directiveSpace(start Mark, ok bool) {
	if c := s.peek(); !ok {
		s.scanWanted("while scanning a directive", start, "' '", c)
	}
}

func (s *scanner) directiveName(start Mark) string {
	name := s.word()
	if c := s.peek(); name == "" || !isBlankOrBreak(c) {
		s.scanWanted("while scanning a directive", start, "alphabetic or numeric character", c)
	}
	return name
}

// directiveVersion reads the version of a %YAML directive, such as "1.1".
func (s *scanner) directiveVersion(start Mark) string {
	const context = "while scanning a directive"
	s.stepSpaces()
	major := s.directiveNumber(start)
	if c := s.peek(); c != '.' {
		s.scanWanted(context, start, "a digit or '.'", c)
		return ""
	}
	s.forward(1)
	minor := s.directiveNumber(start)
	if c := s.peek(); !isBlankOrBreak(c) {
		s.scanWanted(context, start, "a digit or ' '", c)
		return ""
	}
	return major + "." + minor
}

func (s *scanner) directiveNumber(start Mark) string {
	if c := s.peek(); !has(c, classDigit) {
		s.scanWanted("while scanning a directive", start, "a digit", c)
		return ""
	}
	end := s.pos
	for {
		c, size := s.at(end)
		if !has(c, classDigit) {
			return s.take(end)
		}
		end += size
	}
}
