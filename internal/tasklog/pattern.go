package tasklog

import (
	"bytes"
	"log/slog"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	trowel "github.com/trowel-project/trowel"
)

// Bounds of patterns.
const (
	maxQuery        = 1000 // bytes
	maxInstructions = 1000 // of a compiled expression: matching takes time in proportion to it
)

// Pattern is what a search looks for in lines.
type Pattern struct {
	literal []byte // in lower case if fold is true
	fold    bool
	regex   *regexp.Regexp // in place of literal, which is then what each match has a part of, in lower case; empty if that is not known
	levels  bool           // all lines that have a level
	least   slog.Level     // of the lines that are meant; anyLevel for all
	step    int            // bytes that are searched in one go
}

// anyLevel is below all levels.
const anyLevel = slog.Level(-1 << 30)

// Bounds of Pattern.step.
const (
	leastStep = 16 << 10
	mostStep  = 256 << 10
	// stepWork is about how many steps of a matcher may go by between two looks at the time.
	stepWork = 4 << 20
)

// PatternOptions say how the text of a search is meant.
type PatternOptions struct {
	Regex bool   // as a regular expression of package regexp, which never sees more than a line
	Case  bool   // capital letters are others than small ones
	Level string // only in lines of this level or above that the server or an agent wrote: DEBUG, INFO, WARN or ERROR; empty for all lines
}

// NewPattern returns a Pattern for a text; an empty one stands for all lines of the level. Errors are a trowel.ErrInvalid.
func NewPattern(text string, o PatternOptions) (*Pattern, error) {
	p := &Pattern{least: anyLevel, step: mostStep, fold: !o.Case}
	if o.Level != "" {
		if err := p.least.UnmarshalText([]byte(o.Level)); err != nil || strings.ContainsAny(o.Level, "+-") {
			return nil, invalidPattern("level must be DEBUG, INFO, WARN or ERROR")
		}
	}
	switch {
	case text == "" && o.Level == "":
		return nil, invalidPattern("there is nothing to search for")
	case len(text) > maxQuery:
		return nil, invalidPattern("a search has at most 1,000 bytes")
	case text == "":
		p.levels, p.fold, p.literal = true, false, []byte("] (")
	case o.Regex:
		return p, p.compile(text, syntax.Perl)
	case p.fold && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0:
		return p, p.compile(text, syntax.Literal)
	case p.fold:
		p.literal = bytes.ToLower([]byte(text))
	default:
		p.literal = []byte(text)
	}
	return p, nil
}

func invalidPattern(text string) error { return &trowel.Error{Kind: trowel.ErrInvalid, Message: text} }

// compile makes a regular expression that matches within lines, though it is given many at once.
func (p *Pattern) compile(text string, flags syntax.Flags) error {
	if p.fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return invalidPattern("the regular expression cannot be read: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	withinLines(tree)
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return invalidPattern("the regular expression is too large: its repetitions count as often as they may occur")
	}
	p.step = min(max(stepWork/len(program.Inst), leastStep), mostStep)
	p.literal = []byte(required(tree))
	if p.regex, err = regexp.Compile(tree.String()); err != nil {
		return invalidPattern("the regular expression cannot be read: " + err.Error())
	}
	return nil
}

// required returns the longest text of ASCII that whatever matches has a part of, in lower case; empty if there is none that is known.
func required(e *syntax.Regexp) (longest string) {
	switch e.Op { //nolint:exhaustive // the others match without any of their parts
	case syntax.OpLiteral:
		text := strings.ToLower(string(e.Rune))
		if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
			return text
		}
	case syntax.OpConcat:
		for _, part := range e.Sub {
			if text := required(part); len(text) > len(longest) {
				longest = text
			}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(e.Sub[0])
	case syntax.OpRepeat:
		if e.Min > 0 {
			return required(e.Sub[0])
		}
	}
	return longest
}

// withinLines changes an expression: the beginning and the end of the text become those of a line, and no part matches the end
// of a line.
func withinLines(e *syntax.Regexp) {
	switch e.Op { //nolint:exhaustive // the others have no characters of their own, or none that ends a line
	case syntax.OpBeginText:
		e.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		e.Op, e.Flags = syntax.OpEndLine, e.Flags&^syntax.WasDollar
	case syntax.OpAnyChar:
		e.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		e.Rune = withoutNewline(e.Rune)
		if len(e.Rune) == 0 {
			e.Op = syntax.OpNoMatch
		}
	case syntax.OpLiteral:
		if strings.ContainsRune(string(e.Rune), '\n') {
			*e = syntax.Regexp{Op: syntax.OpNoMatch}
		}
	}
	for _, part := range e.Sub {
		withinLines(part)
	}
}

// withoutNewline removes the end of a line from a class of characters, which is pairs of first and last ones.
func withoutNewline(class []rune) (left []rune) {
	for i := 0; i < len(class); i += 2 {
		low, high := class[i], class[i+1]
		if low > '\n' || high < '\n' {
			left = append(left, low, high)
			continue
		}
		if low < '\n' {
			left = append(left, low, '\n'-1)
		}
		if high > '\n' {
			left = append(left, '\n'+1, high)
		}
	}
	return left
}

// find calls f with all that matches in lines, until it returns false. Nothing empty matches.
func (p *Pattern) find(lines []byte, f func(begin, end int) bool) {
	if p.regex != nil {
		p.findRegex(lines, f)
		return
	}
	searched := lines
	if p.fold {
		searched = lowered(lines)
	}
	for from := 0; ; {
		at := bytes.Index(searched[from:], p.literal)
		if at < 0 {
			return
		}
		begin, end := from+at, from+at+len(p.literal)
		from = end
		if p.levels {
			begin, end = bytes.LastIndexByte(lines[:begin], '\n')+1+levelColumn, begin
			if begin >= end || begin+len("ERROR") < end {
				continue
			}
		}
		if p.meant(lines, begin) && !f(begin, end) {
			return
		}
	}
}

// findRegex is find for a regular expression. If something is known that each match has a part of, only lines with that
// are matched, which is many times as fast.
func (p *Pattern) findRegex(lines []byte, f func(begin, end int) bool) {
	match := func(begin, end int) bool {
		for _, at := range p.regex.FindAllIndex(lines[begin:end], -1) {
			if at[0] < at[1] && p.meant(lines, begin+at[0]) && !f(begin+at[0], begin+at[1]) {
				return false
			}
		}
		return true
	}
	if len(p.literal) == 0 {
		match(0, len(lines))
		return
	}
	searched := lowered(lines)
	for from := 0; ; {
		at := bytes.Index(searched[from:], p.literal)
		if at < 0 {
			return
		}
		begin, end := bytes.LastIndexByte(lines[:from+at], '\n')+1, len(lines)
		if length := bytes.IndexByte(lines[from+at:], '\n'); length >= 0 {
			end = from + at + length
		}
		if !match(begin, end) {
			return
		}
		from = end
	}
}

// lowered returns text with small letters in place of the capital ones of ASCII.
func lowered(text []byte) []byte {
	low := make([]byte, len(text))
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	return low
}

// levelColumn is where the level begins in a line: behind the instant and a bracket.
const levelColumn = len(LayoutFile) + len(" [")

// meant reports whether the line at an offset has a level that is meant.
func (p *Pattern) meant(lines []byte, at int) bool {
	if p.least == anyLevel {
		return true
	}
	line := lines[bytes.LastIndexByte(lines[:at], '\n')+1:]
	if len(line) < levelColumn || line[4] != '-' || line[levelColumn-1] != '[' {
		return false
	}
	name, _, found := bytes.Cut(line[levelColumn:min(len(line), levelColumn+len("ERROR] ("))], []byte("] ("))
	var level slog.Level
	return found && level.UnmarshalText(name) == nil && level >= p.least
}
