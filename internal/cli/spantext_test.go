package cli

import (
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
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
		if got := spanText(at.Add(tc.from), at.Add(tc.to)); got != tc.want {
			t.Errorf("from %s to %s: %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
}

// The same is so in the tree of an attempt on a server; a local run knows its instants.
func TestSpansInTree(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		whole          bool
		started, ended time.Duration
		want           string
	}{
		{true, 0, 0, "<1s"},
		{true, time.Second, 4 * time.Second, "3s"},
		{true, time.Second, 4300 * time.Millisecond, "3s"},
		{true, 100 * time.Millisecond, 1400 * time.Millisecond, "1.3s"},
		{false, 0, 0, "0.0s"},
		{false, time.Second, 4 * time.Second, "3.0s"},
	} {
		f := frame{look: &look{}, now: time.Minute, width: 80, whole: tc.whole}
		out := lineText{look: f.look, limit: 80}
		f.time(&out, &liveTask{state: trowel.TaskSuccess, started: tc.started, ended: tc.ended})
		if got := strings.TrimSpace(out.text.String()); got != tc.want {
			t.Errorf("whole %t, from %s to %s: %s, want %s", tc.whole, tc.started, tc.ended, got, tc.want)
		}
	}
}
