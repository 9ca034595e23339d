package yaml

import "fmt"

// scanner makes tokens from a text. It looks ahead as far as it must to decide whether something is the key of a
// mapping: at most 1,024 characters, and not beyond the line.
type scanner struct {
	*reader
	tokens    []token // made and not taken yet: tokens[head:]
	head      int
	taken     int // tokens taken so far
	done      bool
	flowLevel int
	indent    int
	indents   []int
	// keyAllowed reports whether a key without "?" may begin here.
	keyAllowed bool
	keys       []possibleKey // in the order in which they were found
}

// possibleKey is a place that is a key if a ':' follows in time.
type possibleKey struct {
	flowLevel int
	token     int  // number of the token that begins it
	required  bool // only a key may be here
	index     int
	mark      Mark
}

// keyLength is the largest number of characters in a key without "?".
const keyLength = 1024

func newScanner(text string) *scanner {
	return &scanner{reader: newReader(text), indent: -1, keyAllowed: true}
}

// peekToken returns the next token, and makes it if necessary. After a failure it is a tokenStreamEnd.
func (s *scanner) peekToken() *token {
	for s.needsMore() {
		s.fetch()
	}
	if s.failure != nil {
		s.tokens, s.head = []token{{kind: tokenStreamEnd, start: s.mark(), end: s.mark()}}, 0
	}
	return &s.tokens[s.head]
}

// next takes the next token, which peekToken has returned.
func (s *scanner) next() token {
	t := s.tokens[s.head]
	if s.failure == nil {
		s.taken++
		s.head++
		if s.head == len(s.tokens) {
			s.tokens, s.head = s.tokens[:0], 0
		}
	}
	return t
}

func (s *scanner) needsMore() bool {
	if s.done || s.failure != nil {
		return false
	}
	if s.head == len(s.tokens) {
		return true
	}
	s.dropStaleKeys()
	return s.failure == nil && len(s.keys) > 0 && s.keys[0].token == s.taken
}

func (s *scanner) push(kind tokenKind, start Mark) {
	s.tokens = append(s.tokens, token{kind: kind, start: start, end: s.mark()})
}

// insert puts a token before the one of the given number.
func (s *scanner) insert(number int, kind tokenKind, m Mark) {
	at := s.head + number - s.taken
	s.tokens = append(s.tokens, token{})
	copy(s.tokens[at+1:], s.tokens[at:])
	s.tokens[at] = token{kind: kind, start: m, end: m}
}

// scanFault reports a problem here, within what began at start.
func (s *scanner) scanFault(context string, start Mark, problem string) {
	m := s.mark()
	s.report(fault{KindScanner, context, &start, problem, &m})
}

// scanWanted reports that c stands where something else should.
func (s *scanner) scanWanted(context string, start Mark, wanted string, c rune) {
	s.scanFault(context, start, fmt.Sprintf("expected %s, but found %s(%d)", wanted, text(c), c))
}

// scanFaultHere reports a problem here.
func (s *scanner) scanFaultHere(context, problem string) {
	m := s.mark()
	s.report(fault{KindScanner, context, nil, problem, &m})
}

// fetch makes at least one token.
func (s *scanner) fetch() {
	s.toNextToken()
	s.dropStaleKeys()
	s.unwind(s.column)
	if s.failure != nil {
		return
	}
	if c := s.peek(); !s.fetchIndicator(c) && s.failure == nil {
		if s.startsPlain(c) {
			s.fetchPlain()
			return
		}
		s.noToken(c)
	}
}

// fetchIndicator makes the token of an indicator character, if it is one in this place.
func (s *scanner) fetchIndicator(c rune) bool {
	inFlow := s.flowLevel != 0
	switch {
	case c == '%' && s.column == 0:
		s.fetchDirective()
	case c == '-' && s.isDocumentIndicator("---"):
		s.fetchDocumentIndicator(tokenDocumentStart)
	case c == '.' && s.isDocumentIndicator("..."):
		s.fetchDocumentIndicator(tokenDocumentEnd)
	case c == '-' && isSpaceOrBreak(s.peekNext()):
		s.fetchBlockEntry()
	case c == '?' && (inFlow || isSpaceOrBreak(s.peekNext())):
		s.fetchKey()
	case c == ':' && (inFlow || isSpaceOrBreak(s.peekNext())):
		s.fetchValue()
	case (c == '|' || c == '>') && !inFlow:
		s.fetchBlockScalar(c)
	default:
		return s.fetchCharacter(c)
	}
	return true
}

// fetchCharacter makes the token of a character that is an indicator everywhere.
func (s *scanner) fetchCharacter(c rune) bool {
	switch c {
	case eof:
		s.fetchEnd()
	case '[':
		s.fetchFlowStart(tokenFlowSequenceStart)
	case '{':
		s.fetchFlowStart(tokenFlowMappingStart)
	case ']':
		s.fetchFlowEnd(tokenFlowSequenceEnd)
	case '}':
		s.fetchFlowEnd(tokenFlowMappingEnd)
	case ',':
		s.fetchFlowEntry()
	case '*', '&':
		s.fetchAnchor(c)
	case '!':
		s.fetchTag()
	case '\'', '"':
		s.fetchQuoted(c)
	default:
		return false
	}
	return true
}

// noToken reports a character that begins nothing (language L20 for tabs).
func (s *scanner) noToken(c rune) {
	shown := string(c)
	if c == '\t' {
		shown = `\t(TAB)`
	}
	s.scanFaultHere("while scanning for the next token", fmt.Sprintf(
		"found character '%s' that cannot start any token. (Do not use %s for indentation)", shown, shown))
}

// toNextToken skips spaces, comments and line breaks.
func (s *scanner) toNextToken() {
	if s.index == 0 && s.peek() == '\uFEFF' {
		s.forward(1)
	}
	for {
		s.skipSpaces()
		if s.peek() == '#' {
			s.skipLine()
		}
		if s.lineBreak() == "" {
			return
		}
		if s.flowLevel == 0 {
			s.keyAllowed = true
		}
	}
}

// isDocumentIndicator reports whether "---" or "..." is here and marks a document.
func (s *scanner) isDocumentIndicator(indicator string) bool {
	return s.column == 0 && s.hasPrefix(indicator) && s.spaceAfterIndicator()
}

// hasPrefix reports whether the text goes on with a text of three characters.
func (s *scanner) hasPrefix(prefix string) bool {
	_, end := s.peekAfter(len(prefix))
	return s.text[s.pos:end] == prefix
}

func (s *scanner) spaceAfterIndicator() bool {
	c, _ := s.peekAfter(3)
	return isSpaceOrBreak(c)
}

// startsPlain reports whether a plain scalar can begin with the character (language L23).
func (s *scanner) startsPlain(c rune) bool {
	switch c {
	case '-':
		return !isSpaceOrBreak(s.peekNext())
	case '?', ':':
		return s.flowLevel == 0 && !isSpaceOrBreak(s.peekNext())
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	default:
		return !isSpaceOrBreak(c)
	}
}
