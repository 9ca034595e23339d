// Package queue says which ready task goes to which agent, and when. It moves no task itself: what
// it picks is claimed in the transaction that the flusher has open.
package queue

import (
	trowel "github.com/trowel-project/trowel"
)

// Agent is an agent in this process, as the queue sees it. Its methods do not block and may be
// called from any goroutine.
type Agent interface {
	// ID names the agent in leases and in the audit.
	ID() string
	// Free returns how many tasks the agent takes now.
	Free() int
	// Give hands over claimed tasks. Each of them is reported in the end.
	Give(leases []*trowel.Lease)
	// Cancel asks the agent to stop what it runs of these tasks. They are reported all the same.
	Cancel(tasks []trowel.TaskID)
}

// Source has ready tasks: the image of an attempt.
type Source interface {
	// NextReady returns the ready task that has waited longest. It returns the same one until that
	// task is claimed.
	NextReady() (trowel.TaskID, bool)
}

// Pick gives up to n ready tasks away, one of each source in turn, so that a wide attempt does not
// keep a small one waiting. claim must make the task no longer ready. Pick returns how many it gave.
func Pick[S Source](sources []S, n int, claim func(S, trowel.TaskID)) int {
	given := 0
	for given < n {
		before := given
		for _, s := range sources {
			if given == n {
				return given
			}
			if id, ok := s.NextReady(); ok {
				claim(s, id)
				given++
			}
		}
		if given == before {
			return given
		}
	}
	return given
}
