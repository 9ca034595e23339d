package param_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `true`, `"text"`, `[]`, `{}`, `{"b":1,"a":{"d":[1,2.5,null,"x"],"c":{}}}`,
		`"quote \" backslash \\ newline \n tab \t return \r backspace \b feed \f"`,
		"\"\\u0001\\u001F\u007f/<>&\u2028é世🌍\"", `123456789012345678901234567890`,
	} {
		value, err := param.Parse(text)
		if err != nil {
			t.Errorf("Parse(%s): %v", text, err)
			continue
		}
		if got := param.JSON(value); got != text {
			t.Errorf("JSON(Parse(%s)) = %s", text, got)
		}
	}
}

func TestJSONLastOfEqualKeysWins(t *testing.T) {
	t.Parallel()
	if got, want := param.JSON(mustMap(t, `{"a":1,"b":2,"a":3}`)), `{"a":3,"b":2}`; got != want {
		t.Errorf("ParseMap = %s, want %s", got, want)
	}
}

func TestJSONReplacesWhatIsNoUTF8(t *testing.T) {
	t.Parallel()
	if got, want := param.JSON("a\xffb"), "\"a\uFFFDb\""; got != want {
		t.Errorf("JSON = %q, want %q", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	for _, text := range []string{``, `{`, `[1`, `{"a"`, `{"a":1} 2`, `{a:1}`, `[1,]`, `nul`, `"x`, deep} {
		if value, err := param.Parse(text); err == nil {
			t.Errorf("Parse(%.20s) = %s, want an error", text, param.JSON(value))
		}
	}
	if _, err := param.ParseMap(`[1]`); err == nil || !strings.Contains(err.Error(), "array") {
		t.Errorf("ParseMap([1]): %v, want an error that names the array", err)
	}
}

func TestMapInEncodingJSON(t *testing.T) {
	t.Parallel()
	var box struct{ Params *param.Map }
	const text = `{"Params":{"z":1.0,"a":[2]}}`
	if err := json.Unmarshal([]byte(text), &box); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(box)
	if err != nil || string(data) != text {
		t.Errorf("Marshal = %s, %v, want %s", data, err, text)
	}
}

// FuzzJSONRoundTrip proves that what Parse reads and JSON writes is read again as the same.
func FuzzJSONRoundTrip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,"x",null,true,{"b":{}}]}`, `"\ud83d\ude00\ud800"`, `-1e-7`, `1e400`, `[-0,-0.0,99999999999999999999]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := param.Parse(text)
		if err != nil {
			return
		}
		written := param.JSON(value)
		again, err := param.Parse(written)
		if err != nil {
			t.Fatalf("Parse(%q), which JSON wrote for %q: %v", written, text, err)
		}
		if twice := param.JSON(again); twice != written {
			t.Errorf("JSON(Parse(%q)) = %q", written, twice)
		}
	})
}
