package param

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is the largest depth of objects and lists in JSON text.
const maxDepth = 1000

// Parse reads JSON text: one value and nothing after it. Keys keep their order, the last of equal
// keys wins, and numbers keep their kind (see Number).
func Parse(text string) (Value, error) {
	if value, ok := parseFast(text); ok {
		return value, nil
	}
	return parseSlowly(text)
}

// parseSlowly is Parse, token by token. Its errors say what is wrong with the text.
func parseSlowly(text string) (Value, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	value, err := parseValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("text after the JSON value, at byte %d", dec.InputOffset())
	}
	return value, nil
}

// ParseMap reads JSON text that must be an object.
func ParseMap(text string) (*Map, error) {
	value, err := Parse(text)
	if err != nil {
		return nil, err
	}
	m, ok := value.(*Map)
	if !ok {
		return nil, fmt.Errorf("want a JSON object, got %s", kindOf(value))
	}
	return m, nil
}

func parseValue(dec *json.Decoder, depth int) (Value, error) {
	token, err := dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if depth >= maxDepth {
			return nil, fmt.Errorf("JSON is nested more than %d deep, at byte %d", maxDepth, dec.InputOffset())
		}
		if token == '{' {
			return parseObject(dec, depth)
		}
		return parseList(dec, depth)
	case json.Number:
		value, ok := Number(token.String())
		if !ok {
			return nil, fmt.Errorf("a number with more than %d digits, at byte %d", MaxDigits, dec.InputOffset())
		}
		return value, nil
	default: // nil, bool, string
		return token, nil
	}
}

func parseObject(dec *json.Decoder, depth int) (Value, error) {
	m := New()
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("want a key, got %v, at byte %d", token, dec.InputOffset())
		}
		value, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		m.Set(key, value)
	}
	_, err := dec.Token()
	return m, closed(err)
}

func parseList(dec *json.Decoder, depth int) (Value, error) {
	list := List{}
	for dec.More() {
		value, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := dec.Token()
	return list, closed(err)
}

func closed(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// JSON returns the compact JSON text of a value. Keys keep their order, and floats are written as in Java.
// Infinities and NaN become texts, as in Digdag.
func JSON(v Value) string { return string(AppendJSON(nil, v)) }

// AppendJSON appends the compact JSON text of a value to dst.
func AppendJSON(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case *big.Int:
		return v.Append(dst, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return AppendQuoted(dst, FloatText(v))
		}
		return append(dst, FloatText(v)...)
	case string:
		return AppendQuoted(dst, v)
	case List:
		return appendList(dst, v)
	case *Map:
		return appendMap(dst, v)
	default:
		return AppendQuoted(dst, fmt.Sprint(v))
	}
}

func appendList(dst []byte, list List) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, v)
	}
	return append(dst, ']')
}

func appendMap(dst []byte, m *Map) []byte {
	dst = append(dst, '{')
	first := true
	for k, v := range m.All() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendQuoted(dst, k)
		dst = append(dst, ':')
		dst = AppendJSON(dst, v)
	}
	return append(dst, '}')
}

const hex = "0123456789ABCDEF"

// AppendQuoted appends a JSON string. It escapes only quotes, backslashes and control characters,
// and bytes that are not UTF-8 become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	default:
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
	}
}

// MarshalJSON writes the map as AppendJSON does.
func (m *Map) MarshalJSON() ([]byte, error) { return AppendJSON(nil, m), nil }

// UnmarshalJSON reads an object as ParseMap does. It replaces the content of the map.
func (m *Map) UnmarshalJSON(data []byte) error {
	parsed, err := ParseMap(string(data))
	if err != nil {
		return err
	}
	*m = *parsed
	return nil
}
