package flush

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/queue"
)

// A server reloads attempts in which others have left ready tasks if its own leave a slot, or some that would run weigh less.
func TestStealReady(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		slots  int
		chosen []int // weights
		heard  int
		want   bool
	}{
		{"own tasks fill the slots", 2, []int{1, 1}, 1, false},
		{"a slot is left", 2, []int{1}, 1, true},
		{"none is chosen here", 2, nil, 1, true},
		{"more important", 2, []int{1, 1}, 2, true},
		{"more important than one", 2, []int{3, 1}, 2, true},
		{"less important", 2, []int{3, 3}, 2, false},
		{"no slot is free", 0, nil, 9, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := New(Options{Recover: true, Now: time.Now})
			f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{7, 8}, Ready: []trowel.AttemptID{7, 8}, Weight: row.heard})
			f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{8}}) // another server has taken its tasks
			f.reloader.queue = reloadQueue{}
			chosen := selection{slots: []queue.Slot{{Free: row.slots}}}
			for i := range row.chosen {
				chosen.picks = append(chosen.picks, queue.Picked{Ready: queue.Ready{Requirements: &trowel.Requirements{Weight: &row.chosen[i]}}})
			}
			f.reloader.stealReady(&chosen)
			if got := len(f.reloader.queue.ids) == 1 && f.reloader.queue.ids[0] == 7; got != row.want {
				t.Errorf("reloads %v, want attempt 7: %v", f.reloader.queue.ids, row.want)
			}
		})
	}
}
