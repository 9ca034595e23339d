package config

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// table finds rows by key.
type table struct {
	keys    []Key // with names of their own
	below   []Key // for all keys below a name
	ignored []Unsupported
}

func newTable() table {
	t := table{ignored: AllUnsupported()}
	for _, group := range Groups() {
		for _, k := range group.Keys {
			if strings.HasSuffix(k.Name, ".NAME") {
				t.below = append(t.below, k)
			} else {
				t.keys = append(t.keys, k)
			}
		}
	}
	return t
}

// find returns the row of a key: the one with its name, or the longest one above it. It returns nil if there
// is none.
func (t *table) find(name string) *Key {
	for i := range t.keys {
		if t.keys[i].Name == name {
			return &t.keys[i]
		}
	}
	var best *Key
	for i := range t.below {
		if k := &t.below[i]; k.matches(name) && (best == nil || len(k.Name) > len(best.Name)) {
			best = k
		}
	}
	return best
}

func (t *table) unsupported(name string) *Unsupported {
	for i := range t.ignored {
		if (&Key{Name: t.ignored[i].Name}).matches(name) {
			return &t.ignored[i]
		}
	}
	return nil
}

// near returns the key that a mistyped one most likely means: among those within the edit distance the one
// with the longest common beginning and end. It is empty if that is less than half.
func (t *table) near(name string) string {
	var names []string
	for i := range t.keys {
		names = append(names, t.keys[i].Name)
	}
	best, most := "", len(name)/2
	for _, candidate := range param.Near(name, names) {
		if n := shared(name, candidate); n > most {
			best, most = candidate, n
		}
	}
	return best
}

// shared returns the number of bytes that two texts have in common at their beginnings and ends.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	end := 0
	for end < len(a)-n && end < len(b)-n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return n + end
}
