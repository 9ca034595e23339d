package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 8.6.
func TestParseYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"on: yes\nflag: true\ntime: 12:30:45\ndate: 2024-01-01\nmode: 010\n": `{"on":"yes","flag":true,"time":"12:30:45","date":"2024-01-01","mode":8}`,
		`{"in": {"n": 1, "x": null}}`:                                        `{"in":{"n":1,"x":null}}`,
	} {
		got, err := operator.ParseYAML(text)
		if err != nil || param.JSON(got) != want {
			t.Errorf("ParseYAML(%q) = %s, %v, want %s", text, param.JSON(got), err, want)
		}
	}
	for _, text := range []string{"", "- a\n", "a: [", "a: 1\na: 2\n"} {
		if _, err := operator.ParseYAML(text); operatortest.Message(err) != "Failed to parse yaml file (config)" {
			t.Errorf("ParseYAML(%q): %v, want a config error", text, err)
		}
	}
}
