package param

import (
	"iter"
	"math/big"
	"slices"
	"strings"
)

// Value is one parameter: nil, bool, int64, *big.Int (only beyond int64), float64, string, List or
// *Map. Values must not be changed once they are in a Map or a List, so they may be shared.
type Value = any

// List is an ordered list of values.
type List = []Value

// Map is an object whose keys keep their order. The zero Map is empty and ready to use. A nil *Map
// is empty and read-only. Methods change only the Map itself, never a nested one: they
// replace nested maps by changed copies. A Map may be read concurrently as long as nobody changes it.
type Map struct {
	entries []entry
	index   *index // nil while the map is small enough to be searched in order
}

// entry is a key with its value. They stand in one list, as servers have very many small maps in memory.
type entry struct {
	key   string
	value Value
}

// indexFrom is the number of keys from which an index is worth its memory.
const indexFrom = 32

// New returns an empty Map.
func New() *Map { return &Map{} }

// Sized returns an empty Map with room for n keys.
func Sized(n int) *Map {
	m := &Map{}
	if n == 0 {
		return m
	}
	m.entries = make([]entry, 0, n)
	if n >= indexFrom {
		m.index = newIndex(m.entries)
	}
	return m
}

// Of returns a Map of keys and values in turn, for tests and fixed texts. Ints become
// int64. It drops a key that is not a string, and the last of an odd number of arguments.
func Of(pairs ...any) *Map {
	m := &Map{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			continue
		}
		value := pairs[i+1]
		if n, ok := value.(int); ok {
			value = int64(n)
		}
		m.Set(key, value)
	}
	return m
}

// Len returns the number of keys.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.entries)
}

// Get returns the value of a key, which may be nil, and whether the key is there.
func (m *Map) Get(key string) (Value, bool) {
	if i := m.find(key); i >= 0 {
		return m.entries[i].value, true
	}
	return nil, false
}

// Has reports whether a key is there, even if its value is nil.
func (m *Map) Has(key string) bool { return m.find(key) >= 0 }

func (m *Map) find(key string) int {
	if m == nil {
		return -1
	}
	if m.index != nil {
		return m.index.find(key, m.entries)
	}
	return indexOf(m.entries, key)
}

// indexOf returns the position of a key, or -1.
func indexOf(entries []entry, key string) int {
	for i := range entries {
		if entries[i].key == key {
			return i
		}
	}
	return -1
}

// Set sets the value of a key. An existing key keeps its place, and a new one goes to the end.
func (m *Map) Set(key string, value Value) {
	if i := m.find(key); i >= 0 {
		m.entries[i].value = value
		return
	}
	m.entries = append(m.entries, entry{key, value})
	switch {
	case m.index != nil:
		m.index.add(key, len(m.entries)-1)
	case len(m.entries) >= indexFrom:
		m.index = newIndex(m.entries)
	}
}

// Delete removes a key, if it is there.
func (m *Map) Delete(key string) {
	i := m.find(key)
	if i < 0 {
		return
	}
	m.entries = slices.Delete(m.entries, i, i+1)
	if m.index != nil {
		m.index = newIndex(m.entries)
	}
}

// DeletePath removes the last segment of a dotted path (language P6). It does nothing if a segment before it is
// missing or not an object.
func (m *Map) DeletePath(path string) {
	head, rest, nested := strings.Cut(path, ".")
	if !nested {
		m.Delete(head)
		return
	}
	value, _ := m.Get(head)
	inner, ok := value.(*Map)
	if !ok {
		return
	}
	inner = inner.Clone()
	inner.DeletePath(rest)
	m.Set(head, inner)
}

// Keys returns the keys in order.
func (m *Map) Keys() []string {
	if m == nil {
		return nil
	}
	keys := make([]string, len(m.entries))
	for i := range m.entries {
		keys[i] = m.entries[i].key
	}
	return keys
}

// All yields keys and values in order. The map must not be changed meanwhile.
func (m *Map) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if m == nil {
			return
		}
		for _, e := range m.entries {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Clone returns a copy with the same values. Adding and deleting keys does not affect the original.
func (m *Map) Clone() *Map { return m.CloneFor(0) }

// CloneFor is Clone for a copy to which n more keys will be added.
func (m *Map) CloneFor(n int) *Map {
	if m == nil {
		return Sized(n)
	}
	c := &Map{}
	if size := len(m.entries) + n; size > 0 {
		c.entries = append(make([]entry, 0, size), m.entries...)
	}
	if m.index != nil {
		c.index = m.index.clone()
	}
	return c
}

// Merge merges other into m. Objects merge key by key. Everything else in other replaces what m
// has, even with null. Lists are replaced as a whole (language L32).
func (m *Map) Merge(other *Map) {
	if m.Len() == 0 && other.Len() > 0 {
		*m = *other.Clone()
		return
	}
	for key, value := range other.All() {
		if into, ok := value.(*Map); ok {
			if old, ok := m.get(key).(*Map); ok {
				m.Set(key, Merged(old, into))
				continue
			}
		}
		m.Set(key, value)
	}
}

// MergeDefaults merges other below m. A key of m keeps its value, even null, except that
// objects on both sides merge key by key (language L33).
func (m *Map) MergeDefaults(other *Map) {
	for key, value := range other.All() {
		mine, ok := m.Get(key)
		if !ok {
			m.Set(key, value)
			continue
		}
		if into, ok := mine.(*Map); ok {
			if defaults, ok := value.(*Map); ok {
				into = into.Clone()
				into.MergeDefaults(defaults)
				m.Set(key, into)
			}
		}
	}
}

func (m *Map) get(key string) Value {
	value, _ := m.Get(key)
	return value
}

// Merged returns base with other merged into it. It changes neither.
func Merged(base, other *Map) *Map {
	if other.Len() == 0 && base != nil {
		return base
	}
	m := base.CloneFor(other.Len())
	m.Merge(other)
	return m
}

// Equal reports whether two values are the same, including the order of keys. Numbers are only equal
// if they are of one kind: 1 is not 1.0.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case *Map:
		b, ok := b.(*Map)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if a.entries[i].key != b.entries[i].key || !Equal(a.entries[i].value, b.entries[i].value) {
				return false
			}
		}
		return true
	case List:
		b, ok := b.(List)
		return ok && slices.EqualFunc(a, b, Equal)
	case *big.Int:
		b, ok := b.(*big.Int)
		return ok && a.Cmp(b) == 0
	default:
		return a == b
	}
}

// Equal reports whether two maps have the same keys in the same order with equal values.
func (m *Map) Equal(other *Map) bool { return Equal(m, other) }
