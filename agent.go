package trowel

import (
	"context"
	"slices"
	"time"
)

// Agent is a process that runs tries. While its lease lasts nobody else may run them.
type Agent struct {
	// ID is a random UUID. A process that lost its lease registers again under another one.
	ID string

	// Name is what people know the agent by: the setting agent.id, or <pid>@<host>. Several agents may share a name.
	Name string

	// Version is the version of Trowel that the agent runs.
	Version string

	// Slots is how many tries the agent runs at the same time. Zero means any number.
	Slots int

	// Host is the name of the agent's machine.
	Host string

	// Queues are the queues that the agent serves. Empty means DefaultQueue alone.
	Queues []string

	// Labels are what the agent offers to tasks that require labels. Empty for none.
	Labels []string

	// Limits are the limits of commands that the agent keeps. Empty for an agent of an earlier version.
	Limits KeptLimits

	// Remote is set for a process of its own, which a server serves over HTTP. It is not set for the agent
	// inside a server.
	Remote bool

	// ServerID is the id of the server that gives the agent its tasks. Only that server may claim for it.
	ServerID string

	// Token is the token with which a remote agent registered. Zero for an agent inside a server.
	Token TokenID

	// StartedAt is when the agent registered.
	StartedAt time.Time

	// SeenAt is when the last heartbeat arrived; StartedAt before the first one.
	SeenAt time.Time

	// LeaseEnds is when the lease ends unless a heartbeat renews it.
	LeaseEnds time.Time

	// DrainedAt is when somebody told the agent to take no new tasks. Zero if nobody did.
	DrainedAt time.Time

	// SuspendReason is why the agent itself takes no new tasks for a while, such as a full disk. Empty while it
	// takes tasks.
	SuspendReason string
}

// Serves reports whether the agent may run a task with these needs: it serves the queue, has the labels and keeps the limits.
func (a *Agent) Serves(n *Requirements) bool {
	return a.ServesQueue(n) && len(a.Limits.Lacking(n)) == 0
}

// Allows reports whether the limits of a task are within the bounds of the agent.
func (a *Agent) Allows(n *Requirements) bool {
	return n == nil || len(n.Limits.Above(a.Limits.Max)) == 0
}

// ServesQueue reports whether the agent serves the queue of a task with these needs and has the labels.
func (a *Agent) ServesQueue(n *Requirements) bool {
	queue := n.QueueName()
	if len(a.Queues) == 0 && queue != DefaultQueue || len(a.Queues) > 0 && !slices.Contains(a.Queues, queue) {
		return false
	}
	if n == nil {
		return true
	}
	for _, label := range n.Labels {
		if !slices.Contains(a.Labels, label) {
			return false
		}
	}
	return true
}

// AgentTx is the part of a transaction about agents.
type AgentTx interface {
	// PutAgent inserts an agent, or replaces its row.
	PutAgent(ctx context.Context, a *Agent) error
	// RenewLeases sets SeenAt and LeaseEnds of agents in one statement. It returns the ids of the agents that
	// still have a row. The others have lost their leases and must stop what they run.
	RenewLeases(ctx context.Context, agents []string, at, ends time.Time) ([]string, error)
	// DeleteAgent deletes an agent. It is no error if there is none.
	DeleteAgent(ctx context.Context, id string) error
	// ListAgents returns all agents.
	ListAgents(ctx context.Context) ([]*Agent, error)
	// FindAgent returns one agent, or ErrNotFound.
	FindAgent(ctx context.Context, id string) (*Agent, error)
	// LockAgents returns the ids of those agents that still have this ServerID and are not drained, and keeps
	// them so until the transaction ends. Call it before claiming tasks for agents that may have gone or
	// moved to another server.
	LockAgents(ctx context.Context, ids []string, server string) ([]string, error)
	// DrainAgent sets DrainedAt. A zero instant lets the agent take tasks again.
	DrainAgent(ctx context.Context, id string, at time.Time) error
	// SuspendAgent sets SuspendReason. An empty reason means that the agent takes tasks again.
	SuspendAgent(ctx context.Context, id, reason string) error
	// ListOrphans returns up to limit running tasks whose agent has no row or whose lease ended before now,
	// in the order of their ids.
	ListOrphans(ctx context.Context, now time.Time, limit int) ([]Orphan, error)
}

// Orphan is a task that runs under a lease that has ended.
type Orphan struct {
	AttemptID AttemptID // the attempt of the task
	TaskID    TaskID    // the running task
	Try       int       // the number of its try, from 1
	AgentID   string    // the agent that held the lease; its row may be gone
}
