package flush

import (
	"context"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// changes are the rows that a transaction writes. Several moves of one task become one row.
type changes struct {
	at      time.Time
	mark    int64 // a random number for the transaction, kept in the audit
	batch   Batch
	touched []trowel.AttemptID // attempts that changed, in the order of their first change

	inserts []*trowel.Task
	updates []trowel.TaskUpdate
	rows    map[*trowel.Task]int // index in updates, or -1 for an insert
	audits  []trowel.AuditEntry
	records []*trowel.AuditRecord
	failed  failures
	logs    []trowel.LogChunk
	oldLogs bool // some of logs may be stored already
}

// newChanges returns changes without rows, in the memory of an earlier transaction.
func newChanges(at time.Time, mark int64, s *spare) changes {
	c := changes{
		at: at, mark: mark, inserts: s.inserts, updates: s.updates, rows: s.rows, audits: s.audits, logs: s.logs,
		batch: Batch{
			At: at, Changes: make([]engine.Change, 0, s.changes), Tries: make([]trowel.Try, 0, s.tries),
			settings: map[trowel.AttemptID]*trowel.AttemptContext{},
		},
	}
	if c.rows == nil {
		c.rows = map[*trowel.Task]int{}
	}
	*s = spare{} // the memory is not the next one's if this transaction fails
	return c
}

// begin records the start of an attempt.
func (c *changes) begin(row *trowel.Attempt, actor string) {
	c.batch.Started = append(c.batch.Started, *row)
	c.audit(trowel.AuditEntry{AttemptID: row.ID, To: row.Flags.Status(), Cause: row.Cause, Actor: actor})
}

// add takes what an event changed in an attempt.
func (c *changes) add(row *trowel.Attempt, of *trowel.AttemptContext, applied *engine.Applied, actor string) {
	c.batch.Warnings = append(c.batch.Warnings, applied.Warnings...)
	if len(applied.Changes) == 0 && !applied.Ended {
		return
	}
	c.batch.Changes = append(c.batch.Changes, applied.Changes...)
	c.batch.Tries = append(c.batch.Tries, applied.Tries...)
	for i := range applied.Changes {
		change := &applied.Changes[i]
		c.addTask(change, row.Version, actor)
		if change.To == trowel.TaskError {
			c.failed.add(c.at, of, change.Task)
		}
	}
	if applied.Ended {
		c.batch.Ended = append(c.batch.Ended, *row)
		c.audit(trowel.AuditEntry{AttemptID: row.ID, From: "running", To: row.Flags.Status(), Cause: "end", Actor: actor})
	}
}

func (c *changes) addTask(change *engine.Change, version int64, actor string) {
	task := change.Task
	at, known := c.rows[task]
	task.Version = version
	switch {
	case change.New:
		c.rows[task] = -1
		c.inserts = append(c.inserts, task)
		return // needs no audit: the row itself shows that it was added
	case !known:
		c.rows[task] = len(c.updates)
		c.updates = append(c.updates, trowel.TaskUpdate{Task: task, From: change.From, Detail: change.Detail, Ended: change.To.Done()})
	case at >= 0:
		u := &c.updates[at]
		u.Detail, u.Ended = u.Detail || change.Detail, u.Ended && change.To.Done()
	}
	c.audit(trowel.AuditEntry{
		AttemptID: task.AttemptID, TaskID: task.ID, Try: task.Try,
		From: change.From.String(), To: change.To.String(), Cause: string(change.Transition), Actor: actor,
	})
}

func (c *changes) audit(e trowel.AuditEntry) {
	e.At, e.Batch = c.at, c.mark
	c.audits = append(c.audits, e)
}

// nameAgent makes the agent the actor of the audit entry that ends its try. The engine stays the actor of what
// follows from that. The entry is searched from index first on.
func (c *changes) nameAgent(first int, r *trowel.Report) {
	for i := first; i < len(c.audits); i++ {
		e := &c.audits[i]
		if e.TaskID != r.TaskID || e.From != trowel.TaskRunning.String() {
			continue
		}
		for j := len(c.batch.Tries) - 1; j >= 0; j-- {
			if try := &c.batch.Tries[j]; try.TaskID == r.TaskID && try.Number == r.Try {
				e.Actor = try.AgentID
				return
			}
		}
		return
	}
}

// record adds an audit record about the person or server that asked for a change.
func (c *changes) record(of *trowel.AuditRecord, a *attempt) {
	r, s := *of, a.tree.Context() // a copy: the transaction may be tried again
	r.At, r.ObjectKind, r.ObjectID = c.at, "attempt", strconv.FormatInt(int64(a.id), 10)
	r.Object, r.ProjectID, r.Workflow, r.AttemptID = s.Project.Name+"/"+s.Session.Workflow, s.Project.ID, s.Session.Workflow, a.id
	c.records = append(c.records, &r)
}

// write writes all rows except those of attempts.
func (c *changes) write(ctx context.Context, tx trowel.Tx) error {
	if err := tx.InsertTasks(ctx, c.inserts); err != nil {
		return err
	}
	if err := tx.UpdateTasks(ctx, c.updates); err != nil {
		return err
	}
	if err := tx.InsertTries(ctx, c.batch.Tries); err != nil {
		return err
	}
	if err := tx.InsertFailures(ctx, c.failed.rows); err != nil {
		return err
	}
	if err := tx.InsertAudits(ctx, c.audits); err != nil {
		return err
	}
	if err := tx.InsertRecords(ctx, c.records...); err != nil {
		return err
	}
	if len(c.logs) == 0 {
		return nil
	}
	if c.oldLogs {
		return tx.InsertLogChunks(ctx, c.logs)
	}
	return tx.InsertNewLogChunks(ctx, c.logs)
}
