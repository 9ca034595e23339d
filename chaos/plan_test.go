package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fault is determined by seed and number. None hits a victim that does not exist, and pauses last longer than a
// lease.
func TestPlanFault(t *testing.T) {
	t.Parallel()
	sizes := map[victims]int{ofServers: 3, ofAgents: 4, ofWires: 18, ofDatabase: 1}
	seen := map[string]int{}
	for n := range 5000 {
		f, again := planFault(7, n, kinds(7), sizes), planFault(7, n, kinds(7), sizes)
		if f.kind.name != again.kind.name || f.victim != again.victim || f.hold != again.hold || f.gap != again.gap || f.offset != again.offset {
			t.Fatalf("fault %d is %s of %d, and %s of %d", n, f.kind.name, f.victim, again.kind.name, again.victim)
		}
		if f.victim >= sizes[f.kind.of] || f.hold < f.kind.least || f.gap > gapMost {
			t.Errorf("fault %d: %s hits %d for %s after %s", n, f.kind.name, f.victim, f.hold, f.gap)
		}
		if (f.kind.name == "agent paused" || f.kind.name == "server paused") && f.hold <= leaseTime {
			t.Errorf("fault %d: %s for %s, which is no longer than a lease", n, f.kind.name, f.hold)
		}
		seen[f.kind.name]++
	}
	for _, k := range kinds(7) {
		if seen[k.name] == 0 {
			t.Errorf("%s never comes", k.name)
		}
	}
	for n := range 500 {
		if f := planFault(8, n, kinds(8), map[victims]int{ofServers: 1, ofDatabase: 1}); f.kind.of != ofServers && f.kind.of != ofDatabase || f.kind.skew > 0 {
			t.Errorf("fault %d: %s, where there are neither agents nor wires, and the clocks of servers are right", n, f.kind.name)
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	used, counted := map[string]int{"pool:1": 2, "pool:2": 1, "pool:3": 5}, map[string]int{"pool:1": 2, "pool:2": 2, "pool:4": 1}
	want := []string{"pool:2 is 1, and tasks hold 2", "pool:3 is 5, and tasks hold 0", "pool:4 is 0, and tasks hold 1"}
	if diff := cmp.Diff(want, differences(used, counted)); diff != "" {
		t.Error(diff)
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"line 1 of 2\nline 2 of 2\n":  true,
		"other\nline 1 of 1\nother\n": true,
		"":                            false,
		"line 1 of 3\nline 3 of 3\n":  false,
		"line 1 of 2\n":               false,
		"line 1 of 2\nline 1 of 2\nline 2 of 2\n": false,
	} {
		if err := whole(text); (err == nil) != ok {
			t.Errorf("whole(%q) = %v", text, err)
		}
	}
}
