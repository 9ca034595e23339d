package reason

import (
	"testing"

	"github.com/trowel-project/trowel/internal/queue"
)

// A limit without a sentence of its own is never taken for another one.
func TestLimitWithoutSentence(t *testing.T) {
	t.Parallel()
	a := &asking{Facts: &Facts{}, Market: &Market{Limits: queue.Limits{Counters: map[string]int{"new": 3}}}}
	r := a.blocked(queue.Blocked{Code: "new_limit", Demand: queue.Demand{Code: "new_limit", Counter: "new", Amount: 1, Limit: 3}}, "")
	if want := "limit `new_limit` has no room: 3 of 3 are used"; r.Code != "new_limit" || r.Text != want {
		t.Errorf("reason of a new limit = %q: %q, want %q", r.Code, r.Text, want)
	}
}
