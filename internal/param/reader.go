package param

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Error says that a parameter is missing or of the wrong type. Its message is Digdag's text
// (language L35), and Digdag calls this kind of error "config".
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Errorf returns an *Error with a formatted message.
func Errorf(format string, args ...any) *Error { return &Error{Message: fmt.Sprintf(format, args...)} }

// Names of the wanted types in messages (language L35).
const (
	TypeString = "string type"
	TypeInt    = "integer (int) type"
	TypeLong   = "integer (long) type"
	TypeBool   = "'true' or 'false'"
	TypeList   = "array type"
	TypeMap    = "object type"
)

// WrongType returns the error about a value whose type is not the wanted one, which language L35 names.
func WrongType(key, wanted string, got Value) *Error {
	sample := JSON(got)
	if units := utf16Len(sample); units >= 100 {
		sample = utf16Cut(sample, 97) + "..."
	}
	return Errorf("Expected %s for key '%s' but got %s (%s)", wanted, key, sample, kindOf(got))
}

// OptionalType is Digdag's name for the type of an optional parameter of a host class, for WrongType (language L35).
func OptionalType(class string) string {
	return "[reference type, class com.google.common.base.Optional<" + class + "><[simple type, class " + class + "]>]"
}

// Missing returns the error about a required key that is missing.
func Missing(key string) *Error {
	return Errorf("Parameter '%s' is required but not set", key)
}

// RequiredButNull is what the text of Null says of the key.
const RequiredButNull = "is required but null"

// Null is the error for a required key whose value is null.
func Null(key string) *Error { return Errorf("Parameter '%s' "+RequiredButNull, key) }

// NotObject returns the error about a nested section that is not an object (language L35).
func NotObject(key string) *Error { return Errorf("Parameter '%s' must be an object", key) }

func kindOf(v Value) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case int64, *big.Int, float64:
		return "number"
	case List:
		return "array"
	case *Map:
		return "object"
	default:
		return "string"
	}
}

// Reader reads a Map with types. Most methods come in threes: X requires the key, XOr takes a
// default when the key is absent or null, and OptX reports whether there was a value. All errors
// are *Error. A Reader remembers which keys were asked for. It is not for concurrent use.
type Reader struct {
	m    *Map
	used map[string]bool
}

// NewReader returns a Reader of m.
func NewReader(m *Map) *Reader { return &Reader{m: m, used: map[string]bool{}} }

// Map returns the map that the Reader reads. It does not mark keys as used.
func (r *Reader) Map() *Map { return r.m }

// Value returns the value of a key, and whether the key is there.
func (r *Reader) Value(key string) (Value, bool) {
	r.used[key] = true
	return r.m.Get(key)
}

// UseAll marks every key as used, for operators that read their whole configuration (language L55).
func (r *Reader) UseAll() {
	for k := range r.m.All() {
		r.used[k] = true
	}
}

// Used reports whether a key was asked for.
func (r *Reader) Used(key string) bool { return r.used[key] }

// UsedKeys returns the keys that were asked for, sorted.
func (r *Reader) UsedKeys() []string { return slices.Sorted(maps.Keys(r.used)) }

// read does the work of all typed reads.
func read[T any](r *Reader, key, wanted string, as func(Value) (T, bool)) (value T, present bool, err error) {
	raw, _ := r.Value(key)
	if raw == nil {
		return value, false, nil
	}
	value, ok := as(raw)
	if !ok {
		return value, true, WrongType(key, wanted, raw)
	}
	return value, true, nil
}

func require[T any](r *Reader, key, wanted string, as func(Value) (T, bool)) (T, error) {
	value, present, err := read(r, key, wanted, as)
	if err != nil || present {
		return value, err
	}
	if r.m.Has(key) {
		return value, Null(key)
	}
	return value, Missing(key)
}

func or[T any](r *Reader, key, wanted string, as func(Value) (T, bool), otherwise T) (T, error) {
	value, present, err := read(r, key, wanted, as)
	if err != nil || present {
		return value, err
	}
	return otherwise, nil
}

// String reads a text. Numbers and booleans become texts.
func (r *Reader) String(key string) (string, error) { return require(r, key, TypeString, AsString) }

// StringOr is String with a default.
func (r *Reader) StringOr(key, otherwise string) (string, error) {
	return or(r, key, TypeString, AsString, otherwise)
}

// OptString is String for a key that may be absent or null.
func (r *Reader) OptString(key string) (value string, present bool, err error) {
	return read(r, key, TypeString, AsString)
}

// Int reads an integer of 32 bits; see AsInt.
func (r *Reader) Int(key string) (int, error) { return require(r, key, TypeInt, AsInt) }

// IntOr is Int with a default.
func (r *Reader) IntOr(key string, otherwise int) (int, error) {
	return or(r, key, TypeInt, AsInt, otherwise)
}

// OptInt is Int for a key that may be absent or null.
func (r *Reader) OptInt(key string) (value int, present bool, err error) {
	return read(r, key, TypeInt, AsInt)
}

// Long reads an integer of 64 bits; see AsLong.
func (r *Reader) Long(key string) (int64, error) { return require(r, key, TypeLong, AsLong) }

// LongOr is Long with a default.
func (r *Reader) LongOr(key string, otherwise int64) (int64, error) {
	return or(r, key, TypeLong, AsLong, otherwise)
}

// OptLong is Long for a key that may be absent or null.
func (r *Reader) OptLong(key string) (value int64, present bool, err error) {
	return read(r, key, TypeLong, AsLong)
}

// Bool reads a boolean; see AsBool.
func (r *Reader) Bool(key string) (bool, error) { return require(r, key, TypeBool, AsBool) }

// BoolOr is Bool with a default.
func (r *Reader) BoolOr(key string, otherwise bool) (bool, error) {
	return or(r, key, TypeBool, AsBool, otherwise)
}

// List reads a list. A single value is not accepted.
func (r *Reader) List(key string) (List, error) { return require(r, key, TypeList, asList) }

// ListOr is List with a default.
func (r *Reader) ListOr(key string, otherwise List) (List, error) {
	return or(r, key, TypeList, asList, otherwise)
}

// OptMap reads a nested section, which must be an object. It is nil if the key is absent or null.
func (r *Reader) OptMap(key string) (*Map, error) {
	raw, _ := r.Value(key)
	return section(key, raw)
}

// MapOf reads a required nested section.
func (r *Reader) MapOf(key string) (*Map, error) {
	raw, ok := r.Value(key)
	switch {
	case !ok:
		return nil, Missing(key)
	case raw == nil:
		return nil, Null(key)
	}
	return section(key, raw)
}

// ParsedMap is MapOf that also accepts the JSON text of an object (language L34, "parsed").
func (r *Reader) ParsedMap(key string) (*Map, error) {
	raw, _ := r.Value(key)
	text, ok := raw.(string)
	if !ok {
		return r.MapOf(key)
	}
	value, err := Parse(text)
	if err != nil {
		return nil, WrongType(key, TypeMap, raw)
	}
	m, ok := value.(*Map)
	if !ok {
		return nil, NotObject(key)
	}
	return m, nil
}

// ParsedList is List that also accepts the JSON text of a list (language L34, "parsed").
func (r *Reader) ParsedList(key string) (List, error) {
	raw, _ := r.Value(key)
	text, ok := raw.(string)
	if !ok {
		return r.List(key)
	}
	value, err := Parse(text)
	if err != nil {
		return nil, WrongType(key, TypeList, raw)
	}
	list, ok := value.(List)
	if !ok {
		return nil, WrongType(key, TypeList, raw)
	}
	return list, nil
}

func section(key string, raw Value) (*Map, error) {
	if raw == nil {
		return nil, nil
	}
	m, ok := raw.(*Map)
	if !ok {
		return nil, NotObject(key)
	}
	return m, nil
}

// AsString converts a value to its text (language L34). It fails for lists, objects and null.
func AsString(v Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case *big.Int:
		return v.String(), true
	case float64:
		return FloatText(v), true
	default:
		return "", false
	}
}

// AsInt converts a value to an integer of 32 bits (language L34). An integer that does not fit
// keeps its low 32 bits, and a text that does not fit is refused.
func AsInt(v Value) (int, bool) {
	switch v := v.(type) {
	case int64:
		return int(int32(v)), true //nolint:gosec // low bits are the rule
	case *big.Int:
		return int(int32(lowBits(v))), true //nolint:gosec // low bits are the rule
	case float64:
		return int(int32(clamp(v, -1<<31, 1<<31-1))), true //nolint:gosec // clamped
	case string:
		n, ok := integerText(v)
		return int(n), ok && n == int64(int32(n)) //nolint:gosec // compared
	default:
		return 0, false
	}
}

// AsLong converts a value to an integer of 64 bits by the rules of AsInt.
func AsLong(v Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case *big.Int:
		return lowBits(v), true
	case float64:
		if v >= 1<<63 {
			return math.MaxInt64, true
		}
		return int64(clamp(v, -1<<63, 1<<63-1024)), true
	case string:
		return integerText(v)
	default:
		return 0, false
	}
}

// AsBool converts a value to a boolean (language L34). An integer is true unless it is zero. The texts true, True,
// false and False are accepted, and empty or null for false.
func AsBool(v Value) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case int64:
		return v != 0, true
	case *big.Int:
		return v.Sign() != 0, true
	case string:
		switch trim(v) {
		case "true", "True":
			return true, true
		case "false", "False", "", "null":
			return false, true
		}
	}
	return false, false
}

func asList(v Value) (List, bool) {
	list, ok := v.(List)
	return list, ok
}

// trim removes what Java's String.trim removes: all characters up to the space.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

func integerText(s string) (int64, bool) {
	s = trim(s)
	if s == "" || s == "null" {
		return 0, true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func lowBits(n *big.Int) int64 {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	return int64(new(big.Int).And(n, mask).Uint64()) //nolint:gosec // low bits are the rule
}

func clamp(f, low, high float64) float64 {
	if f != f {
		return 0
	}
	return min(max(f, low), high)
}

func utf16Len(s string) (units int) {
	for _, r := range s {
		units++
		if r > 0xffff {
			units++
		}
	}
	return units
}

func utf16Cut(s string, limit int) string {
	units := 0
	for i, r := range s {
		units++
		if r > 0xffff {
			units++
		}
		if units > limit {
			return s[:i]
		}
	}
	return s
}
