package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// AuditEntry is one change of the state of an attempt or task. Entries are only ever added.
type AuditEntry struct {
	// At is when the change was made.
	At time.Time

	// AttemptID is the attempt that changed, or the one whose task changed.
	AttemptID AttemptID

	// TaskID is the task that changed. Zero for a change of the attempt itself.
	TaskID TaskID

	// Try is the number of the task's present or last try. Zero before the first one, and for attempts.
	Try int

	// From is the state before. Empty for something new.
	From string

	// To is the state after.
	To string

	// Cause is the Transition that changed a task; for an attempt its Cause at the beginning, and "end" at the end.
	Cause string

	// Actor is who made the change: an agent, a user, or "engine".
	Actor string

	// Batch is a random number that all entries of one transaction share.
	Batch int64
}

// AuditRow holds the entries of one transaction about one attempt, in the order in which they were written.
type AuditRow struct {
	ID      int64        // grows with each row, but rows are not always committed in this order
	Entries []AuditEntry // one or more
}

// AuditTx is the part of a transaction about changes of attempts and tasks.
type AuditTx interface {
	// InsertAudits stores entries.
	InsertAudits(ctx context.Context, entries []AuditEntry) error
	// ListAudits returns the entries of an attempt in the order in which they were written.
	ListAudits(ctx context.Context, attempt AttemptID) ([]AuditEntry, error)
	// ListAuditRows returns up to limit rows of an attempt in the order of their ids: those after the row
	// from, or, if descending, those before it, largest id first. from is 0 for the beginning of the list.
	ListAuditRows(ctx context.Context, attempt AttemptID, from int64, descending bool, limit int) ([]AuditRow, error)
	// HasBatch reports whether entries of that transaction about the attempt are stored. A writer that
	// lost its connection during a commit learns from it whether the commit happened.
	HasBatch(ctx context.Context, attempt AttemptID, batch int64) (bool, error)
}

// AuditRecord is an entry of the audit about anything but the states of attempts and tasks, for which there is
// Audit: who did what to which object. Entries are only ever added.
type AuditRecord struct {
	// ID is zero until InsertRecords sets it.
	ID int64

	// At is when it was done.
	At time.Time

	// ActorKind is one of the Actor constants.
	ActorKind string

	// Actor is the name of the user, token, agent or server.
	Actor string

	// Source is where the action came from: one of the Source constants.
	Source string

	// Action is "<object kind>.<verb>", such as "pool.create", "project.push" or "token.revoke".
	Action string

	// ObjectKind is the noun in Action: "pool", "project", "token", "agent", "schedule", "secret", "workflow",
	// "attempt", "login" or "address".
	ObjectKind string

	// ObjectID is the id of the object as a text; for secrets and workflows the key or name, which they have instead.
	ObjectID string

	// Object is what people call it, such as "etl/load" or "default".
	Object string

	// ProjectID is the project of the object. Zero for what belongs to the site.
	ProjectID ProjectID

	// Workflow is the workflow that the action is about. Empty if it is about no single one.
	Workflow string

	// AttemptID is the attempt that the action is about. Zero if it is about no single one.
	AttemptID AttemptID

	// Before has the changed properties of the object as they were. Nil for something new.
	Before *param.Map

	// After has them as they are now. Nil for something deleted.
	After *param.Map

	// Note is what the caller wrote about the reason. Empty for none.
	Note string
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

// ActionAgentLost is the action of a server that found the lease of an agent ended. Its After has "tries", the
// number of tries that the agent ran. Their tasks run again, except those whose results have arrived by then.
const ActionAgentLost = "agent.lost"

// RecordFilter selects records, newest first. Empty fields select all.
type RecordFilter struct {
	Actor     string    // the exact name
	Action    string    // exactly, or with all below it: "pool" selects "pool.create"
	Source    string    // one of the Source constants
	ProjectID ProjectID // zero selects all, not those of the site
	Workflow  string    // the exact name
	AttemptID AttemptID // only records about this attempt
	From, To  time.Time // From is included, To is not
	Before    int64     // only smaller ids
	Limit     int       // the largest number of results; negative for no limit
}

// RecordTx is the part of a transaction about records.
type RecordTx interface {
	// InsertRecords stores records and sets their ids.
	InsertRecords(ctx context.Context, records ...*AuditRecord) error
	// ListRecords returns the records that a filter selects.
	ListRecords(ctx context.Context, f RecordFilter) ([]*AuditRecord, error)
}
