package live

import (
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/terminal"
)

// In the tree of an attempt on a server, durations are in whole seconds if instants are. A local run is more precise.
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
		f := frame{look: &terminal.Look{}, now: time.Minute, width: 80, whole: tc.whole}
		out := terminal.Line{Look: f.look, Limit: 80}
		f.time(&out, &liveTask{state: trowel.TaskSuccess, started: tc.started, ended: tc.ended})
		if got := strings.TrimSpace(out.Text.String()); got != tc.want {
			t.Errorf("whole %t, from %s to %s: %s, want %s", tc.whole, tc.started, tc.ended, got, tc.want)
		}
	}
}
