package sqldb

import (
	"strings"
	"unicode"
)

// splitScript cuts a script of PostgreSQL at the semicolons between its statements. Comments stay with the statement that follows them.
// Semicolons in texts, comments, parentheses and bodies with BEGIN ATOMIC end no statement. plainBackslash is set if a
// backslash in a text without E before it is a character like others (standard_conforming_strings).
func splitScript(text string, plainBackslash bool) []string {
	s := splitter{text: text, plainBackslash: plainBackslash}
	for s.at < len(text) {
		s.step()
	}
	s.cut(len(text))
	return s.statements
}

// splitter is where splitScript is.
type splitter struct {
	text           string
	plainBackslash bool
	at, start      int // of the rest, and of the present statement
	parentheses    int // that are open
	words          [2]string
	atomic         int // bodies, and CASE within them, that are open
	statements     []string
}

// cut ends the present statement before a position.
func (s *splitter) cut(end int) {
	if statement := strings.TrimSpace(s.text[s.start:end]); statement != "" {
		s.statements = append(s.statements, statement)
	}
	s.words = [2]string{}
}

// step passes over the next part: a text, a comment, a word or one character.
func (s *splitter) step() {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case c == '\'':
		s.at += textEnd(rest, !s.plainBackslash || s.afterE())
	case c == '"':
		s.at += textEnd(rest, false)
	case strings.HasPrefix(rest, "--"):
		s.at += end(rest, "\n", 2)
	case strings.HasPrefix(rest, "/*"):
		s.at += commentEnd(rest)
	case c == '$' && dollarTag(rest) != "" && !s.afterWord():
		tag := dollarTag(rest)
		s.at += end(rest, tag, len(tag))
	case isWordPart(rune(c)) && c != '$':
		s.word(rest)
	case c == ';' && s.parentheses == 0 && s.atomic == 0:
		s.cut(s.at)
		s.at++
		s.start = s.at
	default:
		switch c {
		case '(':
			s.parentheses++
		case ')':
			s.parentheses = max(s.parentheses-1, 0)
		}
		s.at++
	}
}

// afterE reports whether the text that begins here has an E before it, which is no end of a longer word.
func (s *splitter) afterE() bool {
	before := s.text[:s.at]
	if !strings.HasSuffix(before, "E") && !strings.HasSuffix(before, "e") {
		return false
	}
	before = before[:len(before)-1]
	return before == "" || !isWordPart(rune(before[len(before)-1]))
}

// afterWord reports whether a word ends here, in which a dollar sign is a character like others.
func (s *splitter) afterWord() bool { return s.at > 0 && isWordPart(rune(s.text[s.at-1])) }

// word passes over a word, and knows by it where a body with BEGIN ATOMIC begins and ends.
func (s *splitter) word(rest string) {
	length := strings.IndexFunc(rest, func(c rune) bool { return !isWordPart(c) })
	if length < 0 {
		length = len(rest)
	}
	s.at += length
	word := strings.ToUpper(rest[:length])
	switch {
	case word == "ATOMIC" && s.words[1] == "BEGIN", s.atomic > 0 && word == "CASE":
		s.atomic++
	case s.atomic > 0 && word == "END":
		s.atomic--
	}
	s.words = [2]string{s.words[1], word}
}

func isWordPart(c rune) bool {
	return c == '_' || c == '$' || c >= unicode.MaxASCII || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// end returns the position after a mark that is searched from a position on, or the length of the text.
func end(text, mark string, from int) int {
	if n := strings.Index(text[from:], mark); n >= 0 {
		return from + n + len(mark)
	}
	return len(text)
}

// textEnd returns the length of a text in quotes, with which it begins. A doubled quote does not end it: it looks like
// another text.
func textEnd(text string, backslash bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && backslash:
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}

// commentEnd returns the length of a comment, with which the text begins. There may be comments in it.
func commentEnd(text string) int {
	open := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			open++
			i++
		case "*/":
			open--
			i++
			if open == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// dollarTag returns the mark of a text in dollar quotes that begins here, such as $$ or $body$. It is empty if none does.
func dollarTag(text string) string {
	for i := 1; i < len(text); i++ {
		c := text[i]
		if c == '$' {
			return text[:i+1]
		}
		if !isWordPart(rune(c)) || i == 1 && '0' <= c && c <= '9' {
			break
		}
	}
	return ""
}
