package dig_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
)

// docs/check.md has a row for each rule, with the same words.
func TestRulesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Rules\n")
	var want, got []string
	for _, r := range dig.Rules() {
		want = append(want, "| `"+r.Name+"` | "+r.About+" |")
	}
	for line := range strings.Lines(table) {
		if regexp.MustCompile("^\\| `").MatchString(line) {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/check.md (-want +got):\n%s", diff)
	}
}

// Every finding has a rule of the list, whatever is wrong.
func TestFindingsHaveRules(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range dig.Rules() {
		names = append(names, r.Name)
	}
	for _, text := range append(seeds, "", "a", "+a: [1]\n", "+a b: {}\n", "x: 1\n", "timezone: x\n", "+a: {echo>: x, sh>: y}\n", "+a: {ech>: x}\n", "+a: {_pool: [1]}\n",
		"schedule: 3\n", "schedule: {}\n", "sla: {}\n", "+a: {echo>: '${1 +}'}\n", "!include : nope\n", "+a: {}\n+a: {}\n", "\tx\n", "+a:\n  _after: [+b]\n  echo>: x\n") {
		for _, f := range dig.CheckFS(mapFS(map[string]string{"main.dig": text}), "/project", catalog()) {
			if !slices.Contains(names, f.Rule) {
				t.Errorf("%q: %v has the rule %q", text, f, f.Rule)
			}
		}
	}
}

// A file whose time zone is wrong is checked to its end.
func TestScheduleBesideWrongZone(t *testing.T) {
	t.Parallel()
	const text = "timezone: Nowhere\nschedule: {daily>: '07:00:00', start: 2026-01-31, skip_delayed_by: soon}\nsla: {time: soon}\n"
	var rules []string
	for _, f := range dig.CheckFS(mapFS(map[string]string{"main.dig": text}), "/project", catalog()) {
		rules = append(rules, f.Rule)
	}
	if diff := cmp.Diff([]string{"time-zone", "schedule", "sla"}, rules); diff != "" {
		t.Errorf("rules of the findings (-want +got):\n%s", diff)
	}
}
