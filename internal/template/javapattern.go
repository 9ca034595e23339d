package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// translatePattern turns a regular expression of Java into one of regexp2, whose dialect is that of
// .NET. They differ in the meaning of classes such as \d and ., in possessive quantifiers, quoting, unions and
// intersections of classes, and the names of properties.
func translatePattern(pattern string) (string, error) {
	if len(pattern) > maxCode {
		return "", fmt.Errorf("longer than %d bytes", maxCode)
	}
	t := patternTranslator{rest: pattern}
	if err := t.sequence(0); err != nil {
		return "", err
	}
	if t.rest != "" {
		return "", errors.New("unmatched closing parenthesis")
	}
	return t.out.String(), nil
}

// patternFlags are the embedded flags that change the translation.
type patternFlags struct {
	dotAll   bool // (?s)
	comments bool // (?x)
}

type patternTranslator struct {
	rest  string
	out   strings.Builder
	flags patternFlags
}

// sequence translates up to the closing parenthesis or the end.
func (t *patternTranslator) sequence(depth int) error {
	if depth > maxPatternNesting {
		return errors.New("nested too deeply")
	}
	for t.rest != "" && t.rest[0] != ')' {
		start := t.out.Len()
		quantifiable, err := t.atom(depth)
		if err != nil {
			return err
		}
		if quantifiable {
			t.quantifier(start)
		}
	}
	return nil
}

// maxPatternNesting is the largest depth of groups and classes.
const maxPatternNesting = 250

// atom translates one element. quantifiable is false for an element that cannot be repeated.
func (t *patternTranslator) atom(depth int) (quantifiable bool, err error) {
	switch c := t.rest[0]; c {
	case '(':
		return t.group(depth)
	case '[':
		set, err := t.class(depth)
		t.out.WriteString(set.String())
		return true, err
	case '\\':
		return true, t.escape()
	case '.':
		t.rest = t.rest[1:]
		if t.flags.dotAll {
			t.out.WriteString(`[\s\S]`)
		} else {
			t.out.WriteString(`[^\n\r\u0085\u2028\u2029]`)
		}
		return true, nil
	case '|', '^', '$':
		t.copy(1)
		return false, nil
	case '#':
		if t.flags.comments {
			end := strings.IndexByte(t.rest, '\n')
			if end < 0 {
				end = len(t.rest) - 1
			}
			t.rest = t.rest[end+1:]
			return false, nil
		}
		t.rest = t.rest[1:]
		t.out.WriteString(`\#`)
		return true, nil
	case ' ', '\t', '\n', '\r', '\f', '\v':
		if !t.flags.comments {
			t.copy(1)
			return true, nil
		}
		t.rest = t.rest[1:]
		return false, nil
	default:
		_, size := utf8.DecodeRuneInString(t.rest)
		t.copy(size)
		return true, nil
	}
}

func (t *patternTranslator) copy(n int) {
	t.out.WriteString(t.rest[:n])
	t.rest = t.rest[n:]
}

// quantifier translates what may follow an element. A possessive quantifier becomes a greedy one in an
// atomic group.
func (t *patternTranslator) quantifier(start int) {
	n := quantifierLength(t.rest)
	if n == 0 {
		return
	}
	possessive := strings.HasPrefix(t.rest[n:], "+")
	t.copy(n)
	if strings.HasPrefix(t.rest, "?") {
		t.copy(1)
		return
	}
	if !possessive {
		return
	}
	t.rest = t.rest[1:]
	whole := t.out.String()
	t.out.Reset()
	t.out.WriteString(whole[:start] + "(?>" + whole[start:] + ")")
}

func quantifierLength(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '*', '+', '?':
		return 1
	case '{':
		end := strings.IndexByte(text, '}')
		if end > 1 && strings.Trim(text[1:end], "0123456789,") == "" {
			return end + 1
		}
	}
	return 0
}

// group translates a group. Flags that are set in it end with it.
func (t *patternTranslator) group(depth int) (quantifiable bool, err error) {
	outer := t.flags
	t.copy(1)
	if strings.HasPrefix(t.rest, "?") {
		switch {
		case hasPrefixes(t.rest, "?:", "?=", "?!", "?>"):
			t.copy(2)
		case hasPrefixes(t.rest, "?<=", "?<!"):
			t.copy(3)
		case hasPrefixes(t.rest, "?<"):
			end := strings.IndexByte(t.rest, '>')
			if end < 0 {
				return false, errors.New("unclosed name of a group")
			}
			t.copy(end + 1)
		default:
			closed, err := t.embeddedFlags()
			if err != nil || closed {
				return false, err // they hold up to the end of the group around them
			}
		}
	}
	if err := t.sequence(depth + 1); err != nil {
		return false, err
	}
	t.flags = outer
	if t.rest == "" {
		return false, errors.New("unclosed group")
	}
	t.copy(1)
	return true, nil
}

func hasPrefixes(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// embeddedFlags translates ?i-s) or ?i-s: after an opening parenthesis. closed is true for the first form.
func (t *patternTranslator) embeddedFlags() (closed bool, err error) {
	t.copy(1)
	on := true
	var set, unset string
	for t.rest != "" {
		c := t.rest[0]
		t.rest = t.rest[1:]
		switch c {
		case '-':
			on = false
		case 's':
			t.flags.dotAll = on
		case 'x':
			t.flags.comments = on
		case 'i', 'm':
			if on {
				set += string(c)
			} else {
				unset += string(c)
			}
		case 'd', 'u', 'U': // Unix lines, and letters beyond ASCII, which always count here
		case ')', ':':
			if unset != "" {
				unset = "-" + unset
			}
			if set+unset == "" && c == ')' {
				set = "i-i" // .NET has no empty setting
			}
			t.out.WriteString(set + unset + string(c))
			return c == ')', nil
		default:
			return false, fmt.Errorf("unknown flag %q", c)
		}
	}
	return false, errors.New("unclosed flags")
}

// escape translates what begins with a backslash, outside of a class.
func (t *patternTranslator) escape() error {
	if quoted, ok := t.quote(); ok {
		for _, r := range quoted {
			t.out.WriteString(escapeRune(r))
		}
		return nil
	}
	if len(t.rest) < 2 {
		return errors.New("backslash at the end")
	}
	switch t.rest[1] {
	case 'R':
		t.rest = t.rest[2:]
		t.out.WriteString(`(?:\r\n|[\n\v\f\r\u0085\u2028\u2029])`)
		return nil
	case 'A', 'G', 'Z', 'z', 'b', 'B', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		t.copy(2)
		return nil
	case 'k':
		t.copy(2)
		return nil
	}
	set, err := t.escaped()
	t.out.WriteString(set.String())
	return err
}

// quote takes \Q...\E from the rest.
func (t *patternTranslator) quote() (string, bool) {
	text, ok := strings.CutPrefix(t.rest, `\Q`)
	if !ok {
		return "", false
	}
	quoted, rest, _ := strings.Cut(text, `\E`)
	t.rest = rest
	return quoted, true
}

// escaped translates an escape that stands for a character or for several.
func (t *patternTranslator) escaped() (runeSet, error) {
	c, from := t.rest[1], t.rest[1:]
	t.rest = t.rest[2:]
	if set := escapedSet(c | 0x20); set != nil {
		if c < 'a' {
			set = set.negated()
		}
		return set, nil
	}
	switch c {
	case 'p', 'P':
		set, err := t.property()
		if c == 'P' {
			set = set.negated()
		}
		return set, err
	case 'x', 'u', '0', 'c':
		r, err := t.coded(c)
		return setOf(r, r), err
	case 't':
		return setOf('\t', '\t'), nil
	case 'n':
		return setOf('\n', '\n'), nil
	case 'r':
		return setOf('\r', '\r'), nil
	case 'f':
		return setOf('\f', '\f'), nil
	case 'a':
		return setOf('\a', '\a'), nil
	case 'e':
		return setOf(0x1b, 0x1b), nil
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '1' && c <= '9' {
		return nil, fmt.Errorf(`unknown escape \%c`, c)
	}
	r, size := utf8.DecodeRuneInString(from)
	t.rest = from[size:]
	return setOf(r, r), nil
}

// digitsOf takes so many digits off a text; none if it is shorter.
func digitsOf(text string, count int) (digits, rest string) {
	if len(text) < count {
		return "", text
	}
	return text[:count], text[count:]
}

// coded reads the number of a character: \xhh, \x{h...}, \uhhhh, \0n, \0nn, \0mnn or \cX.
func (t *patternTranslator) coded(kind byte) (rune, error) {
	var text string
	base := 16
	switch kind {
	case 'c':
		if t.rest == "" {
			return 0, errors.New(`nothing after \c`)
		}
		r := rune(t.rest[0] ^ 64)
		t.rest = t.rest[1:]
		return r, nil
	case '0':
		n := 0
		for n < 3 && n < len(t.rest) && t.rest[n] >= '0' && t.rest[n] <= '7' && (n < 2 || t.rest[0] <= '3') {
			n++
		}
		text, t.rest, base = t.rest[:n], t.rest[n:], 8
	case 'x':
		inside, ok := strings.CutPrefix(t.rest, "{")
		if !ok {
			text, t.rest = digitsOf(t.rest, 2)
			break
		}
		if text, t.rest, ok = strings.Cut(inside, "}"); !ok {
			return 0, errors.New(`unclosed \x{`)
		}
	default:
		text, t.rest = digitsOf(t.rest, 4)
	}
	n, err := strconv.ParseUint(text, base, 21)
	if err != nil || n > utf8.MaxRune {
		return 0, fmt.Errorf("no character has the number %q", text)
	}
	return rune(n), nil
}

// escapeRune writes a character so that it stands for itself, inside and outside of a class.
func escapeRune(r rune) string {
	switch {
	case r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'):
		return string(r)
	case r < 128 && r > ' ':
		return `\` + string(r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return string(r)
	}
}
