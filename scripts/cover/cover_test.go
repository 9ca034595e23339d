package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func report(change func(*options)) (string, error) {
	o := options{unit: "testdata/unit.txt", all: "testdata/all.txt", root: "testdata", top: 40}
	change(&o)
	var out strings.Builder
	err := run(&out, o)
	return out.String(), err
}

// A block that one of several processes reached is reached. Functions in variables of a package count, too.
func TestSummary(t *testing.T) {
	t.Parallel()
	got, err := report(func(*options) {})
	if err != nil {
		t.Fatal(err)
	}
	want := `package     statements  unit tests  all suites  not reached
sub                  5       0.0 %      40.0 %            3
trowel               2     100.0 %      50.0 %            1
altogether           7      28.6 %      42.9 %            4

Functions with the most statements that nothing reached

function              place          statements  not reached
list.get              sub/sub.go:5            4            2
plain.name            sub/sub.go:15           1            1
outside of functions  top.go:1                1            1
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	got, err := report(func(o *options) { o.details = "^sub$" })
	if err != nil {
		t.Fatal(err)
	}
	want := `function    place          statements  not reached  lines
list.get    sub/sub.go:5            4            2    6-9
plain.name  sub/sub.go:15           1            1  15-17
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.txt")
	if err := os.WriteFile(broken, []byte("mode: set\nwhat is this?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*options)
		want   string
	}{
		{"no profiles", func(o *options) { o.unit = "" }, "-unit and -all are required"},
		{"no module", func(o *options) { o.root = t.TempDir() }, "go.mod"},
		{"no file", func(o *options) { o.all = "testdata/none.txt" }, "testdata/none.txt"},
		{"a line", func(o *options) { o.unit = broken }, "no line of a profile: what is this?"},
		{"an expression", func(o *options) { o.details = "[" }, "-pkg: error parsing regexp"},
		{"no such package", func(o *options) { o.details = "nowhere" }, `matches "nowhere"`},
	} {
		if _, err := report(c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want %s", c.name, err, c.want)
		}
	}
}
