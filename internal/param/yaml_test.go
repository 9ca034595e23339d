package param_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// Jackson 2.9 with SnakeYAML 1.23, set up as in Digdag, wrote every want (server 1.9.2).
func TestAppendYAML(t *testing.T) {
	t.Parallel()
	words := strings.TrimSpace(strings.Repeat("ab ", 40))
	tests := []struct{ name, value, want string }{
		{"empty", `{}`, "{}\n"},
		{"scalars", `{"a":1,"b":2.5,"c":true,"d":null,"e":"x","f":""}`, "a: 1\nb: 2.5\nc: true\nd: null\ne: \"x\"\nf: \"\"\n"},
		{
			"nested", `{"result":{"subtaskConfig":{},"resetStoreParams":[],"deep":{"list":["a","b"]}}}`,
			"result:\n  subtaskConfig: {}\n  resetStoreParams: []\n  deep:\n    list:\n    - \"a\"\n    - \"b\"\n",
		},
		{
			"lists", `{"l":[[1,[2]],{"a":1,"b":[3]},[],{}]}`,
			"l:\n- - 1\n  - - 2\n- a: 1\n  b:\n  - 3\n- []\n- {}\n",
		},
		{
			"keys", `{"+t":1,"echo>":2,"a b":3,": ":4,"- x":5,"it's":6,"#":7,"a: b":8,"true":9,"off":10,"False":11,"1":12,"é":13,"\t":14,"x #":15}`,
			"+t: 1\necho>: 2\na b: 3\n': ': 4\n'- x': 5\nit's: 6\n'#': 7\n'a: b': 8\n\"true\": 9\n\"off\": 10\nFalse: 11\n1: 12\né: 13\n\"\\t\": 14\n'x #': 15\n",
		},
		{"escapes", `{"k":"\"\\\n\t\u0001\u007f\u0085\u00a0é\u2028😀"}`, `k: "\"\\\n\t\x01\x7f\N\_é\L\U0001f600"` + "\n"},
		{
			"long text", `{"k":"` + words + `"}`,
			`k: "ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab\` + "\n" +
				`  \ ab ab ab ab ab ab ab ab ab ab ab ab ab ab"` + "\n",
		},
		{"empty key", `{"":[]}`, "? ''\n: []\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(param.AppendYAML(nil, mustMap(t, tt.value), 0)); got != tt.want {
				t.Errorf("AppendYAML(%s) =\n%s\nwant\n%s", tt.value, got, tt.want)
			}
		})
	}
}

// The indentation does not count as columns, as check indents what Digdag has split before.
func TestAppendYAMLIndent(t *testing.T) {
	t.Parallel()
	m := param.Of("a", param.List{int64(1)}, "b", strings.TrimSpace(strings.Repeat("ab ", 40)))
	plain := string(param.AppendYAML(nil, m, 0))
	want := "    " + strings.ReplaceAll(strings.TrimSuffix(plain, "\n"), "\n", "\n    ") + "\n"
	if got := string(param.AppendYAML(nil, m, 4)); got != want {
		t.Errorf("AppendYAML with an indent =\n%s\nwant\n%s", got, want)
	}
}
