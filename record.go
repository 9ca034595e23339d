package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Record is one entry of the audit about anything but the states of attempts and tasks, which are
// Audits: who did what to which object. Records are only ever added.
type Record struct {
	ID         int64
	At         time.Time
	ActorKind  string // one of the Actor constants
	Actor      string
	Source     string // where it came from: one of the Source constants
	Action     string // "<object kind>.<verb>": "pool.create", "project.push", "token.revoke"...
	ObjectKind string // "pool", "project", "token", "agent", "schedule", "secret", "workflow", "attempt"
	ObjectID   string
	Object     string    // what people call it: "etl/load", "default"
	ProjectID  ProjectID // zero for what belongs to the site
	Workflow   string    // empty unless it is about one workflow
	AttemptID  AttemptID // zero unless it is about one attempt
	Before     *param.Map
	After      *param.Map
	Note       string
}

// Kinds of actors.
const (
	ActorUser   = "user"
	ActorToken  = "token"
	ActorServer = "server" // a server by itself: scheduler, engine, retention
	ActorAgent  = "agent"
)

// Where records come from.
const (
	SourceREST      = "rest"
	SourceCLI       = "cli"       // a command that works on the database itself
	SourceConfig    = "config"    // the settings of a server that starts
	SourceScheduler = "scheduler" // schedules and backfills
	SourceServer    = "server"
)

// ActionAgentLost is the action of a server that found the lease of an agent ended. Its After has "tries",
// how many the agent ran: they are free, and run again unless a server had their results by then.
const ActionAgentLost = "agent.lost"

// RecordFilter selects records, newest first; empty fields select all.
type RecordFilter struct {
	Actor     string
	Action    string // exactly, or with all below it: "pool" selects "pool.create"
	Source    string
	ProjectID ProjectID
	Workflow  string
	AttemptID AttemptID
	From, To  time.Time // To is not in it
	Before    int64     // only smaller ids, unless it is zero
	Limit     int
}

// RecordTx is the part of a transaction about records.
type RecordTx interface {
	// InsertRecords stores records and gives them their ids.
	InsertRecords(ctx context.Context, records ...*Record) error
	ListRecords(ctx context.Context, f RecordFilter) ([]*Record, error)
}
