package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All rounds tell a difference from noise: each compares runs that followed one another.
func TestDifferences(t *testing.T) {
	t.Parallel()
	rounds := func(unit string, least bool, figures ...float64) []result {
		var all []result
		for _, got := range figures {
			all = append(all, result{got: got, unit: unit, least: least})
		}
		return all
	}
	first := map[string][]result{
		"rate":  rounds("tasks/s", true, 100, 200, 400),
		"time":  rounds("ms", false, 10, 20, 40),
		"noise": rounds("ms", false, 10, 10, 10),
		"once":  rounds("ms", false, 10),
		"even":  rounds("s", false, 1, 2, 1, 2),
		"gone":  rounds("ms", false, 1, 1, 1),
	}
	second := map[string][]result{
		"rate":  rounds("tasks/s", true, 110, 240, 520),
		"time":  rounds("ms", false, 11, 24, 52),
		"noise": rounds("ms", false, 9, 11, 12),
		"once":  rounds("ms", false, 20),
		"even":  rounds("s", false, 0.5, 1, 0.5, 0.5),
		"gone":  rounds("ms", false, 1, 1),
		"new":   rounds("ms", false, 1, 1, 1),
	}
	want := []difference{
		{"even", "s", 1.5, 0.5, 0.5, 0.25, 0.5, "better"},
		{"noise", "ms", 10, 11, 1.1, 0.9, 1.2, "not clear"},
		{"once", "ms", 10, 20, 2, 2, 2, "not clear"},
		{"rate", "tasks/s", 200, 240, 1.2, 1.1, 1.3, "better"},
		{"time", "ms", 20, 24, 1.2, 1.1, 1.3, "worse"},
	}
	got := differences(first, second)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(difference{})); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}
