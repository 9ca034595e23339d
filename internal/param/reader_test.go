package param_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

// L34: each value read as each type. An empty want means that it is refused.
func TestCoercion(t *testing.T) {
	t.Parallel()
	tests := []struct{ value, text, number, long, truth string }{
		{`"x"`, "x", "", "", ""},
		{`""`, "", "0", "0", "false"},
		{`"null"`, "null", "0", "0", "false"},
		{`" 12 "`, " 12 ", "12", "12", ""},
		{`"+7"`, "+7", "7", "7", ""},
		{`"-007"`, "-007", "-7", "-7", ""},
		{`"3.7"`, "3.7", "", "", ""},
		{`"1e1"`, "1e1", "", "", ""},
		{`"0x10"`, "0x10", "", "", ""},
		{`"2147483648"`, "2147483648", "", "2147483648", ""},
		{`"9223372036854775808"`, "9223372036854775808", "", "", ""},
		{`"true"`, "true", "", "", "true"},
		{`" True "`, " True ", "", "", "true"},
		{`"False"`, "False", "", "", "false"},
		{`"TRUE"`, "TRUE", "", "", ""},
		{`"yes"`, "yes", "", "", ""},
		{`"1"`, "1", "1", "1", ""},
		{`"  "`, "  ", "0", "0", "false"},
		{`true`, "true", "", "", "true"},
		{`0`, "0", "0", "0", "false"},
		{`-1`, "-1", "-1", "-1", "true"},
		{`2147483648`, "2147483648", "-2147483648", "2147483648", "true"},
		{`9223372036854775808`, "9223372036854775808", "0", "-9223372036854775808", "true"},
		{`18446744073709551617`, "18446744073709551617", "1", "1", "true"},
		{`2.9`, "2.9", "2", "2", ""},
		{`-2.9`, "-2.9", "-2", "-2", ""},
		{`1e3`, "1000.0", "1000", "1000", ""},
		{`1e30`, "1.0E30", "2147483647", "9223372036854775807", ""},
		{`-1e30`, "-1.0E30", "-2147483648", "-9223372036854775808", ""},
		{`[1]`, "", "", "", ""},
		{`{"a":1}`, "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			value, err := param.Parse(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			check := func(kind, want string, got any, ok bool) {
				t.Helper()
				text := ""
				if ok {
					text = strings.Trim(param.JSON(got), `"`)
				}
				if text != want {
					t.Errorf("%s as %s = %q, want %q", tt.value, kind, text, want)
				}
			}
			text, ok := param.AsString(value)
			check("string", tt.text, text, ok)
			number, ok := param.AsInt(value)
			check("int", tt.number, int64(number), ok)
			long, ok := param.AsLong(value)
			check("long", tt.long, long, ok)
			truth, ok := param.AsBool(value)
			check("bool", tt.truth, truth, ok)
		})
	}
}

// L35.
func TestReaderErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 120)
	r := func(text string) *param.Reader { return param.NewReader(mustMap(t, text)) }
	fails := func(_ any, err error) error { return err }
	tests := []struct {
		err  error
		want string
	}{
		{fails(r(`{}`).String("k")), `Parameter 'k' is required but not set`},
		{fails(r(`{"k":null}`).String("k")), `Parameter 'k' is required but null`},
		{fails(r(`{"k":[1]}`).String("k")), `Expected string type for key 'k' but got [1] (array)`},
		{fails(r(`{"k":"x"}`).Int("k")), `Expected integer (int) type for key 'k' but got "x" (string)`},
		{fails(r(`{"k":true}`).Long("k")), `Expected integer (long) type for key 'k' but got true (boolean)`},
		{fails(r(`{"k":1.5}`).Bool("k")), `Expected 'true' or 'false' for key 'k' but got 1.5 (number)`},
		{fails(r(`{"k":"x"}`).List("k")), `Expected array type for key 'k' but got "x" (string)`},
		{fails(r(`{"k":{"a":1}}`).ListOr("k", nil)), `Expected array type for key 'k' but got {"a":1} (object)`},
		{fails(r(`{"k":1}`).OptMap("k")), `Parameter 'k' must be an object`},
		{fails(r(`{}`).MapOf("k")), `Parameter 'k' is required but not set`},
		{fails(r(`{"k":null}`).MapOf("k")), `Parameter 'k' is required but null`},
		{fails(r(`{"k":"[]"}`).ParsedMap("k")), `Parameter 'k' must be an object`},
		{fails(r(`{"k":"` + long + `"}`).Int("k")), `Expected integer (int) type for key 'k' but got "` + long[:96] + `... (string)`},
	}
	for _, tt := range tests {
		var wrong *param.Error
		if !errors.As(tt.err, &wrong) || wrong.Message != tt.want {
			t.Errorf("error = %v, want %s", tt.err, tt.want)
		}
	}
}

func TestReaderDefaults(t *testing.T) {
	t.Parallel()
	r := param.NewReader(mustMap(t, `{"n":null,"s":"x","i":3,"l":[1],"m":{"a":1},"ml":"[2]","mm":"{\"b\":2}"}`))
	got := []any{}
	add := func(v any, err error) {
		if err != nil {
			t.Errorf("read: %v", err)
		}
		got = append(got, v)
	}
	add(r.StringOr("n", "d"))
	add(r.StringOr("s", "d"))
	add(r.IntOr("n", 7))
	add(r.IntOr("i", 7))
	add(r.LongOr("absent", 8))
	add(r.BoolOr("absent", true))
	add(r.List("l"))
	add(r.ParsedList("ml"))
	m, err := r.ParsedMap("mm")
	add(param.JSON(m), err)
	want := []any{"d", "x", 7, 3, int64(8), true, param.List{int64(1)}, param.List{int64(2)}, `{"b":2}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
	if _, present, err := r.OptString("n"); present || err != nil {
		t.Errorf("OptString(null) = %v, %v, want absent", present, err)
	}
	if nested, err := r.OptMap("n"); nested != nil || err != nil {
		t.Errorf("OptMap(null) = %v, %v, want nil", nested, err)
	}
}

// L55: a Reader knows which keys were asked for.
func TestReaderRemembersKeys(t *testing.T) {
	t.Parallel()
	r := param.NewReader(mustMap(t, `{"a":1,"b":2,"c":3}`))
	if _, err := r.Int("b"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.OptString("z"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "z"}, r.UsedKeys()); diff != "" {
		t.Errorf("UsedKeys (-want +got):\n%s", diff)
	}
	r.UseAll()
	if !r.Used("a") || !r.Used("c") {
		t.Error("UseAll left keys unused")
	}
}
