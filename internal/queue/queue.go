package queue

import (
	trowel "github.com/trowel-project/trowel"
)

// Agent is an agent that a server gives tasks to: one in this process, or one at the other end of a connection. Its
// methods do not block and may be called from any goroutine.
type Agent interface {
	// ID names the agent in leases and in the audit.
	ID() string
	// Serves reports whether the agent may run a task with these needs: it serves the queue, has the labels and
	// keeps the limits.
	Serves(n *trowel.Requirements) bool
	// Allows reports whether the limits of a task are within the agent's bounds. If they are not, the task fails on it.
	Allows(n *trowel.Requirements) bool
	// Free returns how many tasks the agent takes now.
	Free() int
	// Assign hands over claimed tasks. Each is reported once it has ended.
	Assign(leases []*trowel.Lease)
	// Cancel asks the agent to stop those of the tries that it runs. They are reported too.
	Cancel(tries []trowel.TryID)
	// Remote reports whether the agent is another process. Such an agent may be lost or go to another server at any
	// moment, so its row must be locked before a claim, see trowel.AgentTx.
	Remote() bool
}
