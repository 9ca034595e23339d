package template

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// runeSet is a set of characters: the first and last characters of ranges, ascending, with gaps between them.
type runeSet []rune

// setOf returns the set of ranges in any order.
func setOf(pairs ...rune) runeSet {
	type span struct{ first, last rune }
	spans := make([]span, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		spans = append(spans, span{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.first) - int(b.first) })
	var set runeSet
	for _, s := range spans {
		if n := len(set); n > 0 && s.first <= set[n-1]+1 {
			set[n-1] = max(set[n-1], s.last)
			continue
		}
		set = append(set, s.first, s.last)
	}
	return set
}

func (s runeSet) union(other runeSet) runeSet { return setOf(slices.Concat(s, other)...) }

func (s runeSet) negated() runeSet {
	negated := make(runeSet, 0, len(s)+2)
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			negated = append(negated, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		negated = append(negated, next, unicode.MaxRune)
	}
	return negated
}

func (s runeSet) intersection(other runeSet) runeSet {
	return s.negated().union(other.negated()).negated()
}

// String returns the set as a class of regexp2.
func (s runeSet) String() string {
	switch {
	case len(s) == 0:
		return `[^\s\S]`
	case len(s) == 2 && s[0] == s[1]:
		return escapeRune(s[0])
	}
	var out strings.Builder
	out.WriteByte('[')
	for i := 0; i < len(s); i += 2 {
		out.WriteString(escapeRune(s[i]))
		if s[i+1] > s[i] {
			out.WriteString("-" + escapeRune(s[i+1]))
		}
	}
	out.WriteByte(']')
	return out.String()
}

// escapedSet returns what \d, \w, \s, \h and \v stand for in Java, or nil.
func escapedSet(c byte) runeSet {
	switch c {
	case 'd':
		return runeSet{'0', '9'}
	case 'w':
		return runeSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	case 's':
		return runeSet{'\t', '\r', ' ', ' '}
	case 'h':
		return runeSet{
			'\t', '\t', ' ', ' ', '\u00a0', '\u00a0', '\u1680', '\u1680', '\u180e', '\u180e', '\u2000', '\u200a',
			'\u202f', '\u202f', '\u205f', '\u205f', '\u3000', '\u3000',
		}
	case 'v':
		return runeSet{'\n', '\r', '\u0085', '\u0085', '\u2028', '\u2029'}
	}
	return nil
}

// class reads a class in brackets. In Java it may contain classes and intersections.
func (t *patternTranslator) class(depth int) (runeSet, error) {
	if depth > maxPatternNesting {
		return nil, errors.New("nested too deeply")
	}
	t.rest = t.rest[1:]
	negated := strings.HasPrefix(t.rest, "^")
	t.rest = strings.TrimPrefix(t.rest, "^")
	var set, operand runeSet
	intersecting, empty := false, true
	finish := func() {
		if intersecting {
			operand = set.intersection(operand)
		}
		set, operand = operand, nil
	}
	for {
		switch {
		case t.rest == "":
			return nil, errors.New("unclosed class")
		case t.rest[0] == ']' && !empty:
			t.rest = t.rest[1:]
			finish()
			if negated {
				set = set.negated()
			}
			return set, nil
		case strings.HasPrefix(t.rest, "&&"):
			t.rest = t.rest[2:]
			finish()
			intersecting = true
			continue
		}
		item, err := t.classItem(depth)
		if err != nil {
			return nil, err
		}
		operand = operand.union(item)
		empty = false
	}
}

// classItem reads a class inside of a class, an escape, a character or a range.
func (t *patternTranslator) classItem(depth int) (runeSet, error) {
	if t.rest[0] == '[' {
		return t.class(depth + 1)
	}
	if quoted, ok := t.quote(); ok {
		var set runeSet
		for _, r := range quoted {
			set = append(set, r, r)
		}
		return setOf(set...), nil
	}
	if t.flags.comments && strings.ContainsRune(" \t\n\r\f\v", rune(t.rest[0])) {
		t.rest = t.rest[1:]
		return nil, nil
	}
	first, err := t.classEnd()
	if err != nil || len(first) != 2 || first[0] != first[1] || len(t.rest) < 2 || t.rest[0] != '-' || t.rest[1] == ']' || t.rest[1] == '[' {
		return first, err
	}
	t.rest = t.rest[1:]
	last, err := t.classEnd()
	if err != nil {
		return nil, err
	}
	if len(last) != 2 || last[0] != last[1] || last[0] < first[0] {
		return nil, errors.New("bad range in a class")
	}
	return runeSet{first[0], last[0]}, nil
}

// classEnd reads an escape or a character.
func (t *patternTranslator) classEnd() (runeSet, error) {
	if t.rest[0] == '\\' {
		if len(t.rest) < 2 {
			return nil, errors.New("backslash at the end")
		}
		return t.escaped()
	}
	r, size := utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return runeSet{r, r}, nil
}

// property reads the name of a property after \p.
func (t *patternTranslator) property() (runeSet, error) {
	name := ""
	if inside, ok := strings.CutPrefix(t.rest, "{"); ok {
		name, t.rest, ok = strings.Cut(inside, "}")
		if !ok {
			return nil, errors.New("unclosed name of a property")
		}
	} else if t.rest != "" {
		name, t.rest = t.rest[:1], t.rest[1:]
	}
	if set := posixSet(name); set != nil {
		return set, nil
	}
	if name == "javaWhitespace" { // no space that keeps words together, but the separators of ASCII
		together := setOf(0xa0, 0xa0, 0x2007, 0x2007, 0x202f, 0x202f)
		return setOf(append(tableSet(unicode.Z), '\t', '\r', 0x1c, 0x1f)...).intersection(together.negated()), nil
	}
	if _, value, ok := strings.Cut(name, "="); ok {
		name = value
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "Is"), "java")
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		if table, ok := tables[name]; ok {
			return tableSet(table), nil
		}
	}
	if tables := namedTables(name); tables != nil {
		var set runeSet
		for _, table := range tables {
			set = append(set, tableSet(table)...)
		}
		return setOf(set...), nil
	}
	return nil, errors.New("unknown property " + name)
}

// posixSet returns a class of ASCII characters by its name, or nil.
func posixSet(name string) runeSet {
	switch name {
	case "Lower":
		return runeSet{'a', 'z'}
	case "Upper":
		return runeSet{'A', 'Z'}
	case "ASCII":
		return runeSet{0, 0x7f}
	case "Alpha":
		return runeSet{'A', 'Z', 'a', 'z'}
	case "Digit":
		return runeSet{'0', '9'}
	case "Alnum":
		return runeSet{'0', '9', 'A', 'Z', 'a', 'z'}
	case "Punct":
		return runeSet{'!', '/', ':', '@', '[', '`', '{', '~'}
	case "Graph":
		return runeSet{'!', '~'}
	case "Print":
		return runeSet{' ', '~'}
	case "Blank":
		return runeSet{'\t', '\t', ' ', ' '}
	case "Cntrl":
		return runeSet{0, 0x1f, 0x7f, 0x7f}
	case "XDigit":
		return runeSet{'0', '9', 'A', 'F', 'a', 'f'}
	case "Space":
		return escapedSet('s')
	}
	return nil
}

// namedTables returns the binary properties whose names in Java differ from those in Go.
func namedTables(name string) []*unicode.RangeTable {
	switch name {
	case "Alphabetic":
		return []*unicode.RangeTable{unicode.Letter, unicode.Nl, unicode.Other_Alphabetic}
	case "Letter":
		return []*unicode.RangeTable{unicode.Letter}
	case "Digit":
		return []*unicode.RangeTable{unicode.Nd}
	case "LetterOrDigit":
		return []*unicode.RangeTable{unicode.Letter, unicode.Nd}
	case "Uppercase", "UpperCase":
		return []*unicode.RangeTable{unicode.Upper, unicode.Other_Uppercase}
	case "Lowercase", "LowerCase":
		return []*unicode.RangeTable{unicode.Lower, unicode.Other_Lowercase}
	case "Punctuation":
		return []*unicode.RangeTable{unicode.Punct}
	case "Whitespace":
		return []*unicode.RangeTable{unicode.White_Space}
	case "Control":
		return []*unicode.RangeTable{unicode.Cc}
	}
	return nil
}

func tableSet(table *unicode.RangeTable) runeSet {
	var set runeSet
	add := func(low, high, stride rune) {
		if stride == 1 {
			set = append(set, low, high)
			return
		}
		for r := low; r <= high; r += stride {
			set = append(set, r, r)
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride)) //nolint:gosec // characters
	}
	return setOf(set...)
}
