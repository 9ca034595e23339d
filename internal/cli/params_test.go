package cli

import (
	"errors"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
)

// TestParameters checks the order in which parameters are merged, and how keys nest (server 1.6).
func TestParameters(t *testing.T) {
	t.Parallel()
	file := param.Of("a", "file", "b", 5, "c", param.Of("d", param.List{int64(1), int64(2)}))
	cases := []struct {
		name     string
		settings map[string]string
		args     []string
		want     string // JSON, or the text of the error
	}{
		{"nothing", nil, nil, `{}`},
		{
			"settings nest",
			map[string]string{"params.a": "1", "params.c.d": "x", "params.c.e.f": "y", "other": "z"},
			nil,
			`{"a":"1","c":{"d":"x","e":{"f":"y"}}}`,
		},
		{
			"options nest, values are texts", nil,
			[]string{"-p", "a=1", "-p", "c.d=true,c.e=2", "-p", "n="},
			`{"a":"1","c":{"d":"true","e":"2"},"n":""}`,
		},
		{
			"the file over settings",
			map[string]string{"params.a": "set", "params.c.x": "y"},
			[]string{"-P", "f.yml"},
			`{"a":"file","c":{"x":"y","d":[1,2]},"b":5}`,
		},
		{
			"options over the file", nil,
			[]string{"-p", "a=over", "-P", "f.yml", "-p", "c.z=9"},
			`{"a":"over","b":5,"c":{"d":[1,2],"z":"9"}}`,
		},
		{"the last option", nil, []string{"-p", "a=1", "-p", "a=2"}, `{"a":"2"}`},
		{"an object is replaced", nil, []string{"-P", "f.yml", "-p", "c=1"}, `{"a":"file","b":5,"c":"1"}`},
		{"dots at the end", nil, []string{"-p", "a.=1", "-p", "b..c=2"}, `{"b":{"":{"c":"2"}},"a":"1"}`},
		{"in the order of a hash map", nil, []string{"-p", "x=1", "-p", "y.z=2"}, `{"y":{"z":"2"},"x":"1"}`},
		{"below a number", nil, []string{"-P", "f.yml", "-p", "b.c=1"}, `Parameter 'b.c' is set but 'b' is not a object (5)`},
		{"below a list", nil, []string{"-P", "f.yml", "-p", "c.d.e=1"}, `Parameter 'c.d.e' is set but 'c.d' is not a object ([1,2])`},
		{"below a text", map[string]string{"params.a": "1", "params.a.b": "2"}, nil, `Parameter 'a.b' is set but 'a' is not a object ("1")`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t).Call(append([]string{"run", "x.dig"}, tc.args...)...)
			before := file.Clone()
			got, err := cmd.ReadParameters(c, configOf(tc.settings), func(path string) (*param.Map, error) {
				if path != "f.yml" {
					t.Errorf("parameters: read the file %s, want f.yml", path)
				}
				return file, nil
			})
			text := param.JSON(got)
			if wrong, ok := errors.AsType[*param.Error](err); ok {
				text = wrong.Message
			}
			if text != tc.want {
				t.Errorf("parameters(%q) = %s, want %s", tc.args, text, tc.want)
			}
			if !file.Equal(before) {
				t.Errorf("parameters(%q) changed what the file held: %s", tc.args, param.JSON(file))
			}
		})
	}
}

// TestParametersFile: errors about the file are returned as they are.
func TestParametersFile(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad file")
	c := newConsole(t).Call("check", "-P", "f.yml")
	if _, err := cmd.ReadParameters(c, nil, func(string) (*param.Map, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Errorf("parameters: error = %v, want that of the file", err)
	}
}
