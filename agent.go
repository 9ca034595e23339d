package trowel

import (
	"context"
	"time"
)

// Agent is a process that runs tries. Its lease says how long its tries are its own.
type Agent struct {
	ID        string // unique among all agents that ever were
	Name      string // what people know it by: agent.id, or <pid>@<host>
	Version   string
	Slots     int // how many tries it runs at the same time; zero for no limit
	StartedAt time.Time
	SeenAt    time.Time // last heartbeat
	LeaseEnds time.Time
}

// AgentTx is the part of a transaction about agents.
type AgentTx interface {
	// PutAgent inserts an agent or replaces what is stored of it.
	PutAgent(ctx context.Context, a *Agent) error
	// RenewLeases moves the end of leases and returns the ids of the agents that still had one; the
	// others lost theirs and must stop what they run.
	RenewLeases(ctx context.Context, agents []string, at, ends time.Time) ([]string, error)
	// DeleteAgent forgets an agent; one that is not there is no error.
	DeleteAgent(ctx context.Context, id string) error
	ListAgents(ctx context.Context) ([]*Agent, error)
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
