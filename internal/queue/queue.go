package queue

import (
	trowel "github.com/trowel-project/trowel"
)

// Agent is an agent that a server gives tasks to, as the queue sees it: one in this process, or one at
// the other end of a connection. Its methods do not block and may be called from any goroutine.
type Agent interface {
	// ID names the agent in leases and in the audit.
	ID() string
	// Serves reports whether the agent may run a task with these needs: it has the queue and the labels.
	Serves(n *trowel.Needs) bool
	// Free returns how many tasks the agent takes now.
	Free() int
	// Give hands over claimed tasks. Each of them is reported in the end.
	Give(leases []*trowel.Lease)
	// Cancel asks the agent to stop these tries, as far as it runs them. They are reported all the
	// same.
	Cancel(tries []trowel.TryID)
	// Remote tells that the agent is another process, which may be lost or go to another server at any
	// moment: before a claim its row must be held, see trowel.AgentTx.
	Remote() bool
}
