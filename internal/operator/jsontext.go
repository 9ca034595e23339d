package operator

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/trowel-project/trowel/internal/param"
)

// ParsedMap reads an object, or the JSON text of one (language L34, "parsed").
func ParsedMap(params *param.Reader, key string) (*param.Map, error) {
	raw, _ := params.Value(key)
	text, isText := raw.(string)
	if !isText {
		return params.MapOf(key)
	}
	value, err := param.Parse(text)
	if err != nil {
		return nil, badJSON(text, err)
	}
	m, ok := value.(*param.Map)
	if !ok {
		return nil, param.NotObject(key)
	}
	return m, nil
}

// ParsedList reads a list, or the JSON text of one (language L34, "parsed").
func ParsedList(params *param.Reader, key string) (param.List, error) {
	raw, _ := params.Value(key)
	text, isText := raw.(string)
	if !isText {
		return params.List(key)
	}
	value, err := param.Parse(text)
	if err != nil {
		return nil, badJSON(text, err)
	}
	list, ok := value.(param.List)
	if !ok {
		return nil, param.WrongType(key, "array type", raw)
	}
	return list, nil
}

// badJSON returns the error about a text that is not JSON. For a word, which people give most often, its message is that
// of Digdag's JSON library. For other texts it is Go's.
func badJSON(text string, err error) error {
	reason := err.Error()
	start := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) })
	if start >= 0 {
		if word := identifier(text[start:]); word != "" && !slices.Contains([]string{"null", "true", "false"}, word) {
			line, column := position(text[:start+len(word)])
			reason = fmt.Sprintf("Unrecognized token '%s': was expecting %s\n at [Source: (String)%s; line: %d, column: %d]",
				word, expected(word), source(text), line, column)
		}
	}
	return &Error{Kind: KindConfig, Message: "com.fasterxml.jackson.core.JsonParseException: " + reason, Err: err}
}

// identifier returns the Java identifier at the beginning of a text.
func identifier(text string) string {
	for i, r := range text {
		letter := unicode.IsLetter(r) || r == '$' || r == '_'
		if !letter && (i == 0 || !unicode.IsDigit(r)) {
			return text[:i]
		}
	}
	return text
}

// expected returns what the library expected, which depends on whether the word begins like one that it knows.
func expected(word string) string {
	if strings.ContainsRune("ntf", rune(word[0])) {
		return "'null', 'true', 'false' or NaN"
	}
	return "('true', 'false' or 'null')"
}

// position returns the place after a text, counted from 1 in UTF-16 units.
func position(before string) (line, column int) {
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Count(before, "\n") + 1, len(utf16.Encode([]rune(last))) + 1
}

// sourceUnits is how much of a text a message quotes.
const sourceUnits = 500

func source(text string) string {
	units := utf16.Encode([]rune(text))
	if len(units) <= sourceUnits {
		return `"` + text + `"`
	}
	return fmt.Sprintf(`"%s"[truncated %d chars]`, string(utf16.Decode(units[:sourceUnits])), len(units)-sourceUnits)
}
