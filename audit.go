package trowel

import (
	"context"
	"time"
)

// Audit is one recorded change: what happened to which task or attempt, when, and who or what
// caused it. Rows are only ever added.
type Audit struct {
	At        time.Time
	AttemptID AttemptID
	TaskID    TaskID // zero for a change of the attempt itself
	Try       int
	From      string // state before; empty for something new
	To        string // state after
	Cause     string // the move that made the change, see Move
	Actor     string // who: an agent, a user, or "engine"
	Batch     int64  // the transaction: a random number that all its entries share
}

// AuditRow has entries of one attempt and one transaction, in the order in which they were written.
type AuditRow struct {
	ID      int64 // grows, but not with the time of the commit
	Entries []Audit
}

// AuditTx writes and reads the audit.
type AuditTx interface {
	InsertAudits(ctx context.Context, entries []Audit) error
	// ListAudits returns the entries of an attempt in the order in which they were written.
	ListAudits(ctx context.Context, attempt AttemptID) ([]Audit, error)
	// ListAuditRows returns up to limit rows of an attempt by their ids: those after the row from, or, if
	// descending, those before it, the last one first; from is 0 for the beginning of the list.
	ListAuditRows(ctx context.Context, attempt AttemptID, from int64, descending bool, limit int) ([]AuditRow, error)
	// HasBatch reports whether entries of that transaction about the attempt are stored. A writer that
	// was cut off while it committed learns from it whether the commit happened.
	HasBatch(ctx context.Context, attempt AttemptID, batch int64) (bool, error)
}
