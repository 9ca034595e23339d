package trowel_test

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Parts of hand-offs are known to 5 %, whatever their length.
func TestHandOffs(t *testing.T) {
	t.Parallel()
	var h, other trowel.HandOffs
	if h.Within(0.5) != 0 || h.Total() != 0 {
		t.Errorf("of no tasks Within = %s, Total = %d, want 0", h.Within(0.5), h.Total())
	}
	for i := range 90 {
		h.Add(time.Duration(i) * 10 * time.Microsecond) // half of them within 450 us
	}
	for range 10 {
		other.Add(3 * time.Hour)
	}
	h.Merge(&other)
	other.Add(0)
	if h.Total() != 100 {
		t.Errorf("Total = %d, want 100", h.Total())
	}
	for part, want := range map[float64]time.Duration{0.45: 450 * time.Microsecond, 0.9: 900 * time.Microsecond, 0.99: 3 * time.Hour, 1: 3 * time.Hour} {
		if got := h.Within(part); got < want*94/100 || got > want*106/100 {
			t.Errorf("Within(%g) = %s, want about %s", part, got, want)
		}
	}
	if got := new(trowel.HandOffs); got.Within(1) != 0 {
		t.Errorf("Within of nothing = %s", got.Within(1))
	}
}
