package param_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

func mustMap(t *testing.T, text string) *param.Map {
	t.Helper()
	m, err := param.ParseMap(text)
	if err != nil {
		t.Fatalf("ParseMap(%s): %v", text, err)
	}
	return m
}

// L32.
func TestMerge(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, base, other, want string }{
		{"objects merge deeply", `{"a":{"x":1,"y":2}}`, `{"a":{"y":3,"z":4}}`, `{"a":{"x":1,"y":3,"z":4}}`},
		{"lists are replaced", `{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{"null replaces", `{"a":{"x":1}}`, `{"a":null}`, `{"a":null}`},
		{"an object replaces a scalar", `{"a":1}`, `{"a":{"x":1}}`, `{"a":{"x":1}}`},
		{"a scalar replaces an object", `{"a":{"x":1}}`, `{"a":1}`, `{"a":1}`},
		{"a replaced key keeps its place", `{"a":1,"b":2}`, `{"c":3,"a":4}`, `{"a":4,"b":2,"c":3}`},
		{"nothing", `{"a":1}`, `{}`, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, other := mustMap(t, tt.base), mustMap(t, tt.other)
			if got := param.JSON(param.Merged(base, other)); got != tt.want {
				t.Errorf("Merged(%s, %s) = %s, want %s", tt.base, tt.other, got, tt.want)
			}
			if got := param.JSON(base); got != tt.base {
				t.Errorf("Merged changed its base to %s, want %s", got, tt.base)
			}
			if got := param.JSON(other); got != tt.other {
				t.Errorf("Merged changed the other to %s, want %s", got, tt.other)
			}
		})
	}
}

// L33.
func TestMergeDefaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, base, other, want string }{
		{"a key that is there stays", `{"a":1}`, `{"a":2,"b":3}`, `{"a":1,"b":3}`},
		{"null counts as there", `{"a":null}`, `{"a":2}`, `{"a":null}`},
		{"objects merge deeply", `{"a":{"x":1}}`, `{"a":{"x":2,"y":3}}`, `{"a":{"x":1,"y":3}}`},
		{"a scalar is not merged into", `{"a":1}`, `{"a":{"x":2}}`, `{"a":1}`},
		{"lists are not merged", `{"a":[1]}`, `{"a":[2]}`, `{"a":[1]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustMap(t, tt.base)
			nested, _ := m.Get("a")
			before := param.JSON(nested)
			m.MergeDefaults(mustMap(t, tt.other))
			if got := param.JSON(m); got != tt.want {
				t.Errorf("MergeDefaults(%s, %s) = %s, want %s", tt.base, tt.other, got, tt.want)
			}
			if got := param.JSON(nested); got != before {
				t.Errorf("MergeDefaults changed a nested object to %s, want %s", got, before)
			}
		})
	}
}

// P6.
func TestDeletePath(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, m, path, want string }{
		{"top", `{"a":1,"b":2}`, "a", `{"b":2}`},
		{"nested", `{"td":{"last":{"x":1},"y":2}}`, "td.last", `{"td":{"y":2}}`},
		{"missing", `{"a":1}`, "b", `{"a":1}`},
		{"missing on the way", `{"a":1}`, "b.c", `{"a":1}`},
		{"null on the way", `{"a":null}`, "a.b", `{"a":null}`},
		{"a scalar on the way", `{"a":1}`, "a.b", `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustMap(t, tt.m)
			old := m.Clone()
			m.DeletePath(tt.path)
			if got := param.JSON(m); got != tt.want {
				t.Errorf("DeletePath(%s, %s) = %s, want %s", tt.m, tt.path, got, tt.want)
			}
			if got := param.JSON(old); got != tt.m {
				t.Errorf("DeletePath changed a copy made before to %s, want %s", got, tt.m)
			}
		})
	}
}

// L15.
func TestOrderOfManyKeys(t *testing.T) {
	t.Parallel()
	m := param.New()
	var want []string
	for i := range 100 {
		key := fmt.Sprintf("k%d", i)
		m.Set(key, int64(i))
		want = append(want, key)
	}
	m.Set("k7", "new")
	m.Delete("k50")
	want = slices.Delete(want, 50, 51)
	if diff := cmp.Diff(want, m.Keys()); diff != "" {
		t.Errorf("Keys (-want +got):\n%s", diff)
	}
	if v, ok := m.Get("k99"); v != int64(99) || !ok {
		t.Errorf("Get(k99) = %v, %v, want 99, true", v, ok)
	}
	if v, _ := m.Get("k7"); v != "new" {
		t.Errorf("Get(k7) = %v, want new", v)
	}
	if m.Has("k50") {
		t.Error("Has(k50) = true after Delete")
	}
}

func TestNilMapIsEmpty(t *testing.T) {
	t.Parallel()
	var m *param.Map
	if m.Len() != 0 || m.Has("a") || len(m.Keys()) != 0 || m.Clone().Len() != 0 {
		t.Error("a nil Map is not empty")
	}
	for range m.All() {
		t.Error("a nil Map yields a key")
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1,{"c":null}]}`, `{"a":1,"b":[1,{"c":null}]}`, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false},
		{`1`, `1.0`, false},
		{`99999999999999999999`, `99999999999999999999`, true},
		{`99999999999999999999`, `99999999999999999998`, false},
		{`"1"`, `1`, false},
		{`[1]`, `[1,2]`, false},
	}
	for _, tt := range tests {
		a, err := param.Parse(tt.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := param.Parse(tt.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := param.Equal(a, b); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	if got, want := param.JSON(param.Of("b", 1, "a", "x")), `{"b":1,"a":"x"}`; got != want {
		t.Errorf("Of = %s, want %s", got, want)
	}
}
