package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func measure(t *testing.T, o options) (string, error) {
	t.Helper()
	o.dir = "testdata/sample"
	if o.patterns == nil {
		o.patterns = []string{"./..."}
	}
	var out strings.Builder
	err := run(t.Context(), &out, o)
	return out.String(), err
}

// Files of other systems, methods of generic types and embedded fields count. Tags of fields and texts in tests do not
// count as texts.
func TestSummary(t *testing.T) {
	t.Parallel()
	got, err := measure(t, options{top: 15})
	if err != nil {
		t.Fatal(err)
	}
	want := `Packages

package  files  with tests  lines  lines of tests  circle  of files
ring         6           7     46               9       4      67 %
plain        2           3      6               1
sample       1           1      6               0

Methods of a receiver

receiver   methods  files
ring.Open        3      2
ring.list        1      1

Fields of a struct

struct      fields
ring.Open        5
plain.pair       2
ring.list        2

Texts of 28 characters or more that stand twice or more

places  text                                 where
     3  "this text is longer than most are"  ring/close.go:4 ring/close.go:7 sample.go:7

Altogether

figure                          count
packages                            3
files                               9
files of tests                      2
lines                              58
lines of tests                     10
texts that stand twice or more      1
exported fields of structs          5
exported fields with a comment   40 %

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// A name counts for the file that declares it: methods, fields and generic types, too.
func TestDetails(t *testing.T) {
	t.Parallel()
	got, err := measure(t, options{details: "^(ring|plain)$"})
	if err != nil {
		t.Fatal(err)
	}
	want := `ring: 4 of 6 files refer to each other in a circle

file      refers to  names
close.go  open.go        3  Open Open.Age Open.Name
close.go  other.go       1  use
list.go   open.go        1  Open
open.go   close.go       1  Open.finish
other.go  list.go        4  first list list.add list.next
other.go  open.go        2  Open Open.Name

not in the circle: ring_plan9.go ring_windows.go

plain: no files refer to each other in a circle

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	got, err := measure(t, options{top: 1, patterns: []string{"./ring"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "ring.Open") || strings.Contains(got, "ring.list") {
		t.Errorf("lists of one row:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    options
		want string
	}{
		{"an expression", options{details: "("}, "-pkg: error parsing regexp"},
		{"no such package", options{details: "nowhere"}, `-pkg: no package has a path that matches "nowhere"`},
		{"no such folder", options{patterns: []string{"./nowhere"}}, "go list: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := measure(t, c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error = %v, want %s", err, c.want)
			}
		})
	}
}

// The largest circle of a graph of files, written as "a>b b>a".
func TestCircle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		graph, want string
	}{
		{"", ""},
		{"a>b b>c", ""},
		{"a>b b>a", "a b"},
		{"a>b b>c c>a d>a", "a b c"},
		{"a>b b>a c>d d>e e>c b>c", "c d e"},
		{"c>d d>c a>b b>a", "a b"},
		{"a>b b>c c>b c>d d>a", "a b c d"},
		{"a>c b>c c>a", "a c"},
	} {
		refs := references{}
		for edge := range strings.FieldsSeq(c.graph) {
			from, to, _ := strings.Cut(edge, ">")
			for _, file := range []string{from, to} {
				if refs[file] == nil {
					refs[file] = map[string]map[string]int{}
				}
			}
			refs[from][to] = map[string]int{"name": 1}
		}
		if got := strings.Join(refs.circle(), " "); got != c.want {
			t.Errorf("circle of %q = %q, want %q", c.graph, got, c.want)
		}
	}
}
