package flush

import (
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
)

// remoteReady are attempts in which other servers have left ready tasks.
type remoteReady struct {
	attempts map[trowel.AttemptID]bool
	weight   int // the largest weight of these tasks
}

// notified takes a message about what another server has changed.
func (rr *remoteReady) notified(n *cluster.Attempts) {
	for _, id := range n.Changed {
		delete(rr.attempts, id)
	}
	for _, id := range n.Ready {
		rr.attempts[id] = true
	}
	rr.weight = max(rr.weight, n.Weight)
}

// takeAll returns all attempts, and clears the list.
func (rr *remoteReady) takeAll() []trowel.AttemptID {
	ids := slices.Collect(maps.Keys(rr.attempts))
	clear(rr.attempts)
	rr.weight = 0
	return ids
}

// takeUnlisted returns and removes the attempts that a list of the running ones does not have: they have ended,
// or are newer than the list.
func (rr *remoteReady) takeUnlisted(versions map[trowel.AttemptID]int64) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for id := range rr.attempts {
		if _, running := versions[id]; !running {
			delete(rr.attempts, id)
			ids = append(ids, id)
		}
	}
	return ids
}
