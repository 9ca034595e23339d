package param

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner reads correct JSON text, and gives up on any other. Then encoding/json says what is wrong. With very many
// keys it takes a tenth of the time of encoding/json.
type scanner struct {
	text string
	at   int
}

// parseFast reads a text as Parse does, or fails without an error.
func parseFast(text string) (Value, bool) {
	s := scanner{text: text}
	value, ok := s.value(0)
	return value, ok && s.next() == 0 && s.at == len(text)
}

// next skips white space and returns the byte after it, or zero at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take skips a byte if it comes next.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) value(depth int) (Value, bool) {
	switch c := s.next(); c {
	case '{', '[':
		if depth >= maxDepth {
			return nil, false
		}
		s.at++
		if c == '{' {
			return s.object(depth)
		}
		return s.list(depth)
	case '"':
		return boxed(s.quoted())
	case 't':
		return true, s.word("true")
	case 'f':
		return false, s.word("false")
	case 'n':
		return nil, s.word("null")
	}
	return s.number()
}

func boxed(text string, ok bool) (Value, bool) { return text, ok }

func (s *scanner) word(word string) bool {
	if !strings.HasPrefix(s.text[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) object(depth int) (Value, bool) {
	if s.take('}') {
		return New(), true
	}
	var m small
	for {
		if s.next() != '"' {
			return nil, false
		}
		key, ok := s.quoted()
		if !ok || !s.take(':') {
			return nil, false
		}
		value, ok := s.value(depth + 1)
		if !ok {
			return nil, false
		}
		m.set(key, value)
		if s.take('}') {
			return m.exact(), true
		}
		if !s.take(',') {
			return nil, false
		}
	}
}

// small collects the keys of an object. As most objects have few, these get room for exactly as many: servers have the
// parameters of many tasks in memory.
type small struct {
	entries [8]entry
	n       int
	more    *Map // has all keys as soon as there are more than fit
}

func (m *small) set(key string, value Value) {
	if m.more != nil {
		m.more.Set(key, value)
		return
	}
	if i := indexOf(m.entries[:m.n], key); i >= 0 {
		m.entries[i].value = value
		return
	}
	if m.n == len(m.entries) {
		m.more = m.copied(2 * m.n)
		m.more.Set(key, value)
		return
	}
	m.entries[m.n] = entry{key, value}
	m.n++
}

// exact returns the object.
func (m *small) exact() *Map {
	if m.more != nil {
		return m.more
	}
	return m.copied(m.n)
}

func (m *small) copied(room int) *Map {
	return &Map{entries: append(make([]entry, 0, room), m.entries[:m.n]...)}
}

func (s *scanner) list(depth int) (Value, bool) {
	list := List{}
	if s.take(']') {
		return list, true
	}
	for {
		value, ok := s.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, value)
		if s.take(']') {
			return list, true
		}
		if !s.take(',') {
			return nil, false
		}
	}
}

// quoted reads a string. It returns a copy, so that a small one does not keep the whole text in memory.
func (s *scanner) quoted() (string, bool) {
	begin, plain := s.at+1, true
	for i := begin; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			if plain {
				return strings.Clone(s.text[begin:i]), true
			}
			return unquoted(s.text[begin-1 : s.at])
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			return "", false
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return "", false
}

// unquoted reads a string with its quotes that has escapes or characters outside of ASCII.
func unquoted(text string) (string, bool) {
	if inner := text[1 : len(text)-1]; !strings.Contains(inner, `\`) && utf8.ValidString(inner) {
		return strings.Clone(inner), true
	}
	var value string
	err := json.Unmarshal([]byte(text), &value)
	return value, err == nil
}

// number reads a JSON number.
func (s *scanner) number() (Value, bool) {
	begin := s.at
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	first := s.at
	whole := s.digits()
	if whole == 0 || whole > 1 && s.text[first] == '0' {
		return nil, false
	}
	if s.at < len(s.text) && (s.text[s.at] == '.' || s.text[s.at]|0x20 == 'e') {
		if !s.fraction() {
			return nil, false
		}
	} else if whole < 19 {
		n, err := strconv.ParseInt(s.text[begin:s.at], 10, 64)
		return n, err == nil
	}
	return Number(s.text[begin:s.at])
}

// fraction skips the fraction and the exponent of a number, one of which must be there.
func (s *scanner) fraction() bool {
	if s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return false
		}
	}
	if s.at == len(s.text) || s.text[s.at]|0x20 != 'e' {
		return true
	}
	s.at++
	if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
		s.at++
	}
	return s.digits() > 0
}

// digits skips digits and returns how many there are.
func (s *scanner) digits() int {
	begin := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at - begin
}
