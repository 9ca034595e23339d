package live

import (
	"testing"

	"github.com/trowel-project/trowel/internal/runview"
)

// The same failure of a task is shown once, with how often it happened.
func TestMergeFailures(t *testing.T) {
	t.Parallel()
	merged := mergeFailures([]runview.FailedTask{
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
