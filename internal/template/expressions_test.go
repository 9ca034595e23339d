package template_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// TestExpressions compares with another JavaScript engine, Node 20: each line of the file is an
// expression and, behind a tab, its text or ERR and the name of the error.
func TestExpressions(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/expressions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	params, err := param.ParseMap(`{"a": 1, "b": "x", "o": {"k": [1, 2], "z2": null, "2": 1, "1": 2}, "n": null, "x-y": 5,
		"t": "${a}", "s": "abc", "l": [3, 4], "f": 1.0}`)
	if err != nil {
		t.Fatal(err)
	}
	e := template.New(template.Options{})
	count := 0
	for line := range strings.Lines(string(file)) {
		count++
		text, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got, err := e.Text(t.Context(), text, params, time.UTC)
		if err != nil {
			_, reason, _ := strings.Cut(err.Error(), text+" (")
			name, _, _ := strings.Cut(reason, ":")
			got = "ERR " + name
		}
		if got = strings.ReplaceAll(got, "\n", `\n`); got != want {
			t.Errorf("Text(%s) = %q, want %q", text, got, want)
		}
	}
	if count < 200 {
		t.Fatalf("read %d expressions, want at least 200", count)
	}
}
