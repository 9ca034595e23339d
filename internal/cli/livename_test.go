package cli

import (
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Iterations are told apart by their values: whole, without keys, and cut, whatever room there is.
func TestFitName(t *testing.T) {
	t.Parallel()
	table := func(value string) []namePart {
		return []namePart{nameParts("+for-0=table=0=customer", param.Of("other", 1, "table", value)), {text: "+load"}}
	}
	two := []namePart{{text: "+count"}, nameParts("+for-0=region_o=1=apac&1=kind=0=5", param.Of("region_of_all", "apac", "kind", int64(5)))}
	alike := []namePart{nameParts("+for-0=customer=0=north&1=customer=0=south", param.Of("customer_of", "north", "customer_at", "south"))}
	cases := []struct {
		parts   []namePart
		columns int
		want    string
	}{
		{table("customers_of_the_north"), 40, "table=customers_of_the_north +load"},
		{table("customers_of_the_north"), 30, "customers_of_the_north +load"},
		{table("customers_of_the_north"), 20, "custom…e_north +load"},
		{table("customers_of_the_south"), 20, "custom…e_south +load"},
		{table("customers_of_the_south"), 8, "cus…load"},
		{table("a\x1b[2Jb\nc"), 40, "table=a^[[2Jb +load"},
		{alike, 60, "customer_of=north customer_at=south"},
		{[]namePart{nameParts("+for-0=x%1B%5B2J%0A=0=y", param.Of("x\x1b[2J\n", "y"))}, 40, "x^[[2J^J=y"},
		{two, 40, "+count region_of_all=apac kind=5"},
		{two, 20, "+count apac 5"},
		{[]namePart{nameParts("+for-0=x=1=y", nil)}, 40, "+for-0=x=1=y"},
		{[]namePart{nameParts("+for-0=x=1=y", param.Of("z", 1))}, 40, "+for-0=x=1=y"},
		{[]namePart{nameParts("+for-odd", param.Of("z", 1))}, 40, "+for-odd"},
		{[]namePart{nameParts("+loop-3", param.Of("i", 3))}, 40, "+loop-3"},
	}
	for _, tc := range cases {
		got := fitName(tc.parts, tc.columns, "…")
		if got != tc.want || terminal.Width(got) > tc.columns {
			t.Errorf("fitName(%v, %d) = %q, want %q", tc.parts, tc.columns, got, tc.want)
		}
	}
}

// The same failure of a task is told once, with how often it happened.
func TestMergeFailures(t *testing.T) {
	t.Parallel()
	merged := mergeFailures([]failedTask{
		{Name: "+a", Message: "no", Where: "1", Tries: 1},
		{Name: "+b", Message: "no", Tries: 3},
		{Name: "+a", Message: "no", Where: "1", Tries: 2},
		{Name: "+a", Message: "other"},
		{Name: "+c", Message: "no", Values: "x=1"},
		{Name: "+c", Message: "no", Values: "x=2"},
	})
	want := []string{"+b failed 3 times", "+a failed 3 times", "+a", "+c", "+c"}
	if len(merged) != len(want) {
		t.Fatalf("%d failures are told, want %d: %+v", len(merged), len(want), merged)
	}
	for i := range merged {
		if got := merged[i].Name + merged[i].timesText(); got != want[i] {
			t.Errorf("failure %d is %q, want %q", i, got, want[i])
		}
	}
}
