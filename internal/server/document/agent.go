package document

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// lateAfter is the time without a heartbeat after which an agent is late, as a part of its lease.
const lateAfter = 2

// Liveness says whether an agent is alive: it is late if it has missed a heartbeat, and dead if its lease has ended.
func Liveness(a *trowel.Agent, now time.Time) string {
	switch lease := a.LeaseEnds.Sub(a.SeenAt); {
	case !now.Before(a.LeaseEnds):
		return AgentDead
	case now.Sub(a.SeenAt) > lease/lateAfter:
		return AgentLate
	}
	return AgentLive
}

// States of agents in documents.
const (
	AgentLive     = "live"
	AgentLate     = "late"     // it missed a heartbeat
	AgentDead     = "dead"     // its lease has ended
	AgentDraining = "draining" // it takes nothing new, and still runs something
	AgentDrained  = "drained"  // it takes nothing new, and runs nothing
	AgentResting  = "resting"  // it takes nothing for a while, for a reason of its own
)
