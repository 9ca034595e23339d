package param

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// FuzzParse proves that the fast reader accepts only what encoding/json accepts, with the same values.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,"x",null,true,{"b":{}}],"a":{}}`, ` { "a" : [ ] , "b":[1 ,2 ] } `, "{\"a\"\n:\t1\r}", `[1,]`, `{"a":1,}`, `{,}`, `[,1]`, `{"a" 1}`, `{1:2}`, `[1 2]`, `{"a":1]`, `[1}`,
		`-`, `-0`, `-0.0`, `00`, `01`, `1.`, `.5`, `1e5`, `1E+5`, `1e-`, `1e400`, `+1`, `0x1`, `1_0`, `99999999999999999999`, `9223372036854775807`, `9223372036854775808`,
		`"\ud83d\ude00\ud800"`, `"\u00e9\n\/"`, `"\x"`, `"\u12"`, "\"\x01\"", "\"a\xffb\"", "\"é\u2028\"", `"`, `"\"`, `"\\"`, `tru`, `truex`, `null null`, "\x00", "1\x00", "\ufeff1", "",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000), strings.Repeat("[", 1001) + strings.Repeat("]", 1001), strings.Repeat("7", 1001),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fast, ok := parseFast(text)
		slow, err := parseSlowly(text)
		if ok != (err == nil) {
			t.Fatalf("parseFast(%q) = %v, parseSlowly: %v", text, ok, err)
		}
		if ok && !Equal(fast, slow) {
			t.Errorf("parseFast(%q) = %s, parseSlowly = %s", text, JSON(fast), JSON(slow))
		}
	})
}

// Very many keys keep their order, are found, and can be deleted, with and without an index.
func TestManyKeys(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, indexFrom - 1, indexFrom, indexFrom + 1, 1000, 100_000} {
		m, sized := New(), Sized(n)
		for i := range n {
			m.Set(fmt.Sprint("k", i), int64(i))
			sized.Set(fmt.Sprint("k", i), int64(i))
		}
		c := m.Clone()
		c.Set("k0", "changed")
		c.Set("new", nil)
		c.Delete("k1")
		merged := New()
		merged.Merge(m)
		merged.Set("new", nil)
		if m.Len() != n || !Equal(m, sized) || m.Has("new") || m.Has(fmt.Sprint("k", n)) || m.Has("") {
			t.Fatalf("%d keys: %d are there, new one: %v", n, m.Len(), m.Has("new"))
		}
		at := 0
		for key, value := range m.All() {
			if key != fmt.Sprint("k", at) || m.get(key) != value || merged.get(key) != value || c.Has(key) == (at == 1) {
				t.Fatalf("%d keys: at %d is %s = %v", n, at, key, value)
			}
			at++
		}
		if !c.Has("new") || c.get("k0") != "changed" {
			t.Errorf("%d keys: the copy has %v", n, c.get("k0"))
		}
	}
}

// An object that is read has room for no more keys than it has, if these are few. The last of equal keys counts.
func TestParsedObjectsAreExact(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		text := strings.Builder{}
		for i := range n {
			fmt.Fprintf(&text, `"k%d":0,"k%d":%d,`, i, i, i)
		}
		m, err := ParseMap("{" + strings.TrimSuffix(text.String(), ",") + "}")
		if err != nil || m.Len() != n || n <= 8 && cap(m.entries) != n {
			t.Fatalf("%d keys: %d are there, with room for %d, %v", n, m.Len(), cap(m.entries), err)
		}
		for i := range n {
			if key := fmt.Sprint("k", i); m.entries[i].key != key || m.get(key) != int64(i) {
				t.Errorf("%d keys: at %d is %s = %v", n, i, m.entries[i].key, m.get(key))
			}
		}
	}
}

// The time to read a number does not grow with the square of its digits: more than MaxDigits are refused, and the text
// of the error is short.
func TestLongNumbers(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("7", MaxDigits)
	if value, err := Parse(longest); err != nil || value.(*big.Int).String() != longest { //nolint:forcetypeassert // or the test ends
		t.Errorf("Parse of %d digits: %v", MaxDigits, err)
	}
	for _, text := range []string{longest + "7", "-" + longest, "[1," + strings.Repeat("7", 15<<20) + "]"} {
		if _, err := Parse(text); err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), "1000 digits") {
			t.Errorf("Parse of %d digits: %.300v", len(text), err)
		}
	}
	if value, err := Parse("0." + strings.Repeat("7", 1<<20)); err != nil || value != 7.0/9 {
		t.Errorf("Parse of many decimals = %v, %v", value, err)
	}
}

// BenchmarkParseKeys reads 15 MB with a million keys.
func BenchmarkParseKeys(b *testing.B) {
	for name, format := range map[string]string{"plain": `"key%07d":%d`, "escaped": `"k\u0065%07d":%d`, "nested": `"%07d":{"a":%d}`} {
		var text strings.Builder
		text.WriteString("{")
		for i := range 1_000_000 {
			if i > 0 {
				text.WriteString(",")
			}
			fmt.Fprintf(&text, format, i, i%10)
		}
		text.WriteString("}")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseMap(text.String()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
