package document

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// An agent is late after this fraction (1/lateAfter) of its lease without a heartbeat.
const lateAfter = 2

// Liveness returns AgentLive, AgentLate or AgentDead.
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
	AgentDraining = "draining" // it takes no new tasks, and still runs some
	AgentDrained  = "drained"  // it takes no new tasks, and runs none
	AgentResting  = "resting"  // it takes no tasks for a while, for a reason of its own
)
