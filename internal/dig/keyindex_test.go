package dig

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// group returns a group of n tasks +t0, +t1... with the same body.
func group(n int, body string) string {
	var b strings.Builder
	b.WriteString("+all:\n")
	for i := range n {
		fmt.Fprintf(&b, "  +t%d: %s\n", i, body)
	}
	return b.String()
}

func inspected(in *inspection, text string) []Finding {
	return in.run(&Project{Dir: "/p", files: fstest.MapFS{"main.dig": {Data: []byte(text)}}})
}

// A check for one kind of finding looks up no places if there are no such findings, however many tasks there are.
func TestListsLookUpOnlyWhatTheyTell(t *testing.T) {
	t.Parallel()
	known := func(string) bool { return true }
	cases := map[string]*inspection{
		"pools":     {only: findingPool, knownPool: known},
		"additions": {only: findingDigdag},
	}
	for name, in := range cases {
		if findings := inspected(in, group(1000, "{echo>: x}")); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
		}
		if len(in.sources.byName) > 0 {
			t.Errorf("%s: the file was read again to find places in it", name)
		}
	}
}

// A key of a large mapping is searched among the keys that have its text or may lead to it, not among all.
func TestCandidatesOfLargeMapping(t *testing.T) {
	t.Parallel()
	text := "base: &base {x: 1}\n" + group(1000, "{}") + "  <<: *base\n  +t7: {}\n"
	doc, err := yaml.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	src := &source{name: "main.dig", text: text, doc: doc, root: doc.Root}
	got := map[string][]int{}
	for _, key := range []string{"+t7", "+t999", "+none"} {
		got[key] = slices.Collect(src.candidates(doc.Root.Children[3], key))
	}
	want := map[string][]int{"+t7": {2002, 2000, 14}, "+t999": {2000, 1998}, "+none": {2000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places of keys (-want +got):\n%s", diff)
	}
}

// K803: each task of a large group is found at its place, and so are those that are merged into the group.
func TestPlacesInLargeGroup(t *testing.T) {
	t.Parallel()
	const n = 1000
	text := group(n, "{echo>: x, _pool: a}") + "  <<: {+merged: {echo>: x, _pool: a}}\n"
	in := &inspection{only: findingPool, knownPool: func(string) bool { return false }}
	findings := inspected(in, text)
	if len(findings) != n+1 {
		t.Fatalf("%d findings, want %d", len(findings), n+1)
	}
	lines := strings.Split(text, "\n")
	for i, f := range findings {
		column := strings.Index(lines[i+1], "_pool") + 1
		if want := (Place{"main.dig", i + 2, column}); f.Place != want || f.Source != lines[i+1] {
			t.Fatalf("finding %d is at %v in %q, want %v in %q", i, f.Place, f.Source, want, lines[i+1])
		}
	}
}
