package hub

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// A try that the agent has to be sent again takes its slot from the beginning, not only when it is sent.
func TestAgainTakesSlots(t *testing.T) {
	t.Parallel()
	one, two := trowel.TryID{Task: 1, Number: 1}, trowel.TryID{Task: 2, Number: 1}
	running := map[trowel.TryID]trowel.LiveTask{one: {}, two: {}}
	p := &peer{id: "a", now: time.Now, silent: time.Hour, row: trowel.Agent{Slots: 2}, given: map[trowel.TryID]*grant{}, endings: &endings{}}
	free := func(step string, want int) {
		t.Helper()
		if got := p.Free(); got != want {
			t.Errorf("%s: %d slots are free, want %d", step, got, want)
		}
	}
	// The agent comes from another server, which had given it both, and has got one of them.
	again := p.reconnect(&Stream{peer: p, wake: make(chan struct{}, 1)}, running, map[trowel.TryID]bool{one: true})
	if len(again) != 1 || again[0] != two {
		t.Fatalf("sent again: %v, want %v", again, two)
	}
	free("before it is sent again", 0)
	if _, again := p.compare(running, map[trowel.TryID]bool{one: true}); len(again) != 1 {
		t.Errorf("a heartbeat before that: sent again: %v, want %v once more", again, two)
	}
	p.Assign([]*trowel.Lease{{TaskID: 2, Try: 1}})
	free("when it was sent again", 0)
	if _, leases, _ := p.stream.take(); len(leases) != 1 {
		t.Errorf("%d leases are sent, want 1", len(leases))
	}
	p.end(two, func() {})
	free("when it has ended", 1)

	// This server had heard of the other one from the agent, which has lost it since.
	again = p.reconnect(&Stream{peer: p, wake: make(chan struct{}, 1)}, map[trowel.TryID]trowel.LiveTask{one: {}}, nil)
	if len(again) != 1 || again[0] != one {
		t.Fatalf("sent again: %v, want %v", again, one)
	}
	free("before the lost one is sent again", 1)
}
