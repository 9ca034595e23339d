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
	// Cancel asks the agent to stop these tries, as far as it runs them. They are reported all the
	// same.
	Cancel(tries []trowel.TryID)
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
	for left := append([]S(nil), sources...); given < n && len(left) > 0; {
		more := left[:0] // those that may have another one
		for _, s := range left {
			if given == n {
				return given
			}
			if id, ok := s.NextReady(); ok {
				claim(s, id)
				given++
				more = append(more, s)
			}
		}
		left = more
	}
	return given
}
