package trowel

import (
	"context"
	"slices"
	"time"
)

// Agent is a process that runs tries. Its lease says how long its tries are its own.
type Agent struct {
	ID        string // unique among all agents that ever were
	Name      string // what people know it by: agent.id, or <pid>@<host>
	Version   string
	Slots     int // how many tries it runs at the same time; zero for no limit
	Host      string
	Queues    []string // that it serves; empty for DefaultQueue alone
	Labels    []string
	Remote    bool      // a process of its own, which a server serves over HTTP
	ServerID  string    // the server that gives it tasks: only that one may claim for it
	Token     TokenID   // with which it came; zero for none
	StartedAt time.Time // of the process
	SeenAt    time.Time // last heartbeat
	LeaseEnds time.Time
	// DrainedAt is when it was told to take nothing new; zero if it was not.
	DrainedAt time.Time
	// RestReason is why it takes nothing for a while; empty if it does not rest.
	RestReason string
}

// Serves reports whether the agent may run a task with these needs.
func (a *Agent) Serves(n *Needs) bool {
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
	// PutAgent inserts an agent or replaces what is stored of it.
	PutAgent(ctx context.Context, a *Agent) error
	// RenewLeases moves the end of leases, in one statement, and returns the ids of the agents whose
	// rows are there; the others lost their leases and must stop what they run.
	RenewLeases(ctx context.Context, agents []string, at, ends time.Time) ([]string, error)
	// DeleteAgent forgets an agent; one that is not there is no error.
	DeleteAgent(ctx context.Context, id string) error
	ListAgents(ctx context.Context) ([]*Agent, error)
	// FindAgent returns one agent; ErrNotFound if it is not there.
	FindAgent(ctx context.Context, id string) (*Agent, error)
	// HoldAgents returns those of the agents that are stored with that ServerID and not drained, and keeps
	// them so until the end of the transaction: to be called before tasks are claimed for agents that
	// may be gone or go to another server.
	HoldAgents(ctx context.Context, ids []string, server string) ([]string, error)
	// DrainAgent tells an agent to take nothing new, or, with a zero instant, to go on.
	DrainAgent(ctx context.Context, id string, at time.Time) error
	// RestAgent notes why an agent takes nothing for a while, or, with an empty reason, that it goes on.
	RestAgent(ctx context.Context, id, reason string) error
	// ListOrphans returns up to limit running tasks whose agent is not stored, or whose lease ended
	// before now, in the order of their ids.
	ListOrphans(ctx context.Context, now time.Time, limit int) ([]Orphan, error)
}

// Orphan is a task that runs under a lease that has ended.
type Orphan struct {
	AttemptID AttemptID
	TaskID    TaskID
	Try       int
	AgentID   string
}
