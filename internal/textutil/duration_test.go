package textutil

import (
	"testing"
	"time"
)

// Of instants in whole seconds no tenths are made.
func TestSpanText(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tc := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 0, "<1s"},
		{0, 5 * time.Second, "5s"},
		{0, 900 * ms, "<1s"}, // up to now, or told in another way
		{900 * ms, 5 * time.Second, "4s"},
		{time.Second, 0, "<1s"}, // the clocks of two servers
		{0, 75 * time.Second, "1m15s"},
		{100 * ms, 150 * ms, "0.0s"},
		{100 * ms, 1350 * ms, "1.2s"},
	} {
		at := time.Unix(1_700_000_000, 0)
		if got := Span(at.Add(tc.from), at.Add(tc.to)); got != tc.want {
			t.Errorf("from %s to %s: %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
}
