package param_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

func TestPick(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: `{}`,
		`{"b":{"a":"}\"]","x":[1,{"a":2}]},"a":{"per":"workflow","n":[3]},"c":null}`: `{"a":{"per":"workflow","n":[3]},"c":null}`,
		"{\n \"x\" : 1 , \"c\" : -2.5e3 ,\t\"a\":true}":                              `{"c":-2500.0,"a":true}`,
		`{"a":1,"a":2}`:            `{"a":2}`,
		`{"x\\":"a","c":"\u00e4"}`: `{"c":"ä"}`,
	} {
		got, err := param.Pick(text, "a", "c")
		if err != nil {
			t.Errorf("Pick(%s): %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, param.JSON(got)); diff != "" {
			t.Errorf("Pick(%s) (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{``, `[]`, `null`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a" 1}`, `{"a":}`, `{"a":01x}`, `{"x":{"y":1}`, `{"":{"`} {
		if got, err := param.Pick(text, "a"); err == nil {
			t.Errorf("Pick(%q) = %s, want an error", text, param.JSON(got))
		}
	}
}

// FuzzPick proves that Pick reads the same values as Parse.
func FuzzPick(f *testing.F) {
	f.Add(`{"a":{"b":[1,"}"]},"c":"\\"}`)
	f.Add(`{"a`)
	f.Add(`{"":{"`)
	f.Fuzz(func(t *testing.T, text string) {
		picked, errPick := param.Pick(text, "a", "")
		whole, err := param.ParseMap(text)
		if err != nil {
			return
		}
		want := param.New()
		for key, value := range whole.All() {
			if key == "a" || key == "" {
				want.Set(key, value)
			}
		}
		if errPick != nil || !escaped(text) && param.JSON(picked) != param.JSON(want) {
			t.Errorf("Pick(%q) = %s, %v, want %s", text, param.JSON(picked), errPick, param.JSON(want))
		}
	})
}

// escaped reports whether a key may be written in another form than JSON writes it.
func escaped(text string) bool {
	for i := range len(text) {
		if text[i] == '\\' {
			return true
		}
	}
	return false
}
