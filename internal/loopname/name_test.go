package loopname

import (
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Iterations are told apart by their values: whole, without keys, and cut, whatever room there is.
func TestFitName(t *testing.T) {
	t.Parallel()
	table := func(value string) []Part {
		return []Part{PartOf("+for-0=table=0=customer", param.Of("other", 1, "table", value)), {Text: "+load"}}
	}
	two := []Part{{Text: "+count"}, PartOf("+for-0=region_o=1=apac&1=kind=0=5", param.Of("region_of_all", "apac", "kind", int64(5)))}
	alike := []Part{PartOf("+for-0=customer=0=north&1=customer=0=south", param.Of("customer_of", "north", "customer_at", "south"))}
	cases := []struct {
		parts   []Part
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
		{[]Part{PartOf("+for-0=x%1B%5B2J%0A=0=y", param.Of("x\x1b[2J\n", "y"))}, 40, "x^[[2J^J=y"},
		{two, 40, "+count region_of_all=apac kind=5"},
		{two, 20, "+count apac 5"},
		{[]Part{PartOf("+for-0=x=1=y", nil)}, 40, "+for-0=x=1=y"},
		{[]Part{PartOf("+for-0=x=1=y", param.Of("z", 1))}, 40, "+for-0=x=1=y"},
		{[]Part{PartOf("+for-odd", param.Of("z", 1))}, 40, "+for-odd"},
		{[]Part{PartOf("+loop-3", param.Of("i", 3))}, 40, "+loop-3"},
	}
	for _, tc := range cases {
		got := Fit(tc.parts, tc.columns, "…")
		if got != tc.want || terminal.Width(got) > tc.columns {
			t.Errorf("fitName(%v, %d) = %q, want %q", tc.parts, tc.columns, got, tc.want)
		}
	}
}
