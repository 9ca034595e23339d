package template

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// appendText appends the text of a parameter (language T17).
func appendText(dst []byte, v param.Value) []byte {
	switch v := v.(type) {
	case nil:
		return dst
	case string:
		return append(dst, validText(v)...)
	case float64:
		if !isFinite(v) {
			return append(dst, param.FloatText(v)...) // they are texts in JSON
		}
	}
	return appendJSON(dst, v)
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// appendJSON appends a parameter as JSON.stringify writes it: with JavaScript's numbers, and with
// keys that are list indexes first.
func appendJSON(dst []byte, v param.Value) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return appendInt(dst, v)
	case *big.Int:
		return appendFinite(dst, bigFloat(v))
	case float64:
		if !isFinite(v) {
			return append(append(append(dst, '"'), param.FloatText(v)...), '"')
		}
		return appendNumber(dst, v)
	case string:
		return appendQuoted(dst, v)
	case param.List:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case *param.Map:
		return appendObject(dst, v)
	default:
		return append(dst, "null"...)
	}
}

func appendFinite(dst []byte, f float64) []byte {
	if !isFinite(f) {
		return append(dst, "null"...)
	}
	return appendNumber(dst, f)
}

func appendObject(dst []byte, m *param.Map) []byte {
	dst = append(dst, '{')
	first := true
	field := func(key string, v param.Value) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, key), ':')
		dst = appendJSON(dst, v)
	}
	if !hasIndexes(m) {
		for key, v := range m.All() {
			field(key, v)
		}
		return append(dst, '}')
	}
	for _, key := range propertyOrder(m.Keys()) {
		v, _ := m.Get(key)
		field(key, v)
	}
	return append(dst, '}')
}

func hasIndexes(m *param.Map) bool {
	for key := range m.All() {
		if _, ok := listIndex(key); ok {
			return true
		}
	}
	return false
}

// propertyOrder returns keys in JavaScript's order: list indexes ascending, then all others. It
// sorts in place.
func propertyOrder(keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int {
		i, aIndex := listIndex(a)
		j, bIndex := listIndex(b)
		switch {
		case aIndex && bIndex:
			return cmp.Compare(i, j)
		case aIndex:
			return -1
		case bIndex:
			return 1
		}
		return 0
	})
	return keys
}

// listIndex reads a key that is the decimal text of 0 to 2^32 - 2.
func listIndex(key string) (uint32, bool) {
	if key == "" || len(key) > 10 || (key[0] == '0' && len(key) > 1) {
		return 0, false
	}
	n := uint64(0)
	for i := range len(key) {
		c := key[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n < math.MaxUint32 //nolint:gosec // compared
}

// validText replaces each byte that is not UTF-8 by U+FFFD.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string as JSON.stringify writes it.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	s = validText(s)
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, c)
		start = i + 1
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
