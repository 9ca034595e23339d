package digdag

import (
	"context"
	"database/sql"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// Attempts are copied if they have ended (bit 2 of their flags) and their workflow was stored.
const (
	isCopied = `a.state_flags & 2 <> 0 AND a.workflow_definition_id IS NOT NULL`

	ofSessions       = ` FROM sessions s JOIN projects p ON p.id = s.project_id`
	sqlCountSessions = `SELECT count(*)` + ofSessions + ` WHERE p.site_id = $1`
	sqlListSessions  = `SELECT s.id, s.project_id, s.workflow_name, s.session_time, s.session_uuid::text, l.id` + ofSessions + `
LEFT JOIN LATERAL (SELECT a.id FROM session_attempts a WHERE a.session_id = s.id AND ` + isCopied + ` ORDER BY a.index DESC LIMIT 1) l ON true
WHERE p.site_id = $1 ORDER BY s.id`

	ofAttempts = ` FROM session_attempts a JOIN sessions s ON s.id = a.session_id JOIN projects p ON p.id = s.project_id
LEFT JOIN task_archives t ON t.id = a.id WHERE p.site_id = $1 AND ` + isCopied
	sqlCountAttempts = `SELECT count(*)` + ofAttempts
	sqlListAttempts  = `SELECT a.id, a.session_id, s.project_id, s.workflow_name, a.attempt_name, a.index, a.workflow_definition_id, a.timezone,
a.params, a.state_flags, a.created_at, a.finished_at, t.tasks, t.created_at` + ofAttempts + ` ORDER BY a.id`
)

// Cause is the cause of all copied attempts, as Digdag does not store one.
const Cause = "digdag"

// sessions copies all sessions, including those whose attempts are running: an attempt that is started
// again will belong to them. The last attempt of a session is the last copied one.
func (c *copying) sessions(ctx context.Context, done func(int)) error {
	b := noted(c.target.Sessions, done)
	err := c.source.rows(ctx, sqlListSessions, []any{c.opts.Site}, func(scan func(...any) error) error {
		var s store.ImportedSession
		var at, last sql.NullInt64
		if err := scan(&s.ID, &s.ProjectID, &s.Workflow, &at, &s.UUID, &last); err != nil {
			return err
		}
		s.Time, s.LastAttempt = seconds(at), trowel.AttemptID(last.Int64)
		return b.add(ctx, s, 0)
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

// attempts copies attempts with their tasks. Tasks that cannot be read are left out, with a warning.
func (c *copying) attempts(ctx context.Context, done func(int)) error {
	b := noted(c.target.Attempts, done)
	unreadable := 0
	err := c.source.rows(ctx, sqlListAttempts, []any{c.opts.Site}, func(scan func(...any) error) error {
		var row attemptRow
		if err := scan(row.dest()...); err != nil {
			return err
		}
		a, err := row.attempt()
		if err != nil {
			return broken("session_attempts", int64(row.a.ID), err)
		}
		if a.Tasks, err = readTasks(a.ID, row.tasks.String); err != nil {
			if unreadable++; unreadable <= shownWarnings {
				c.warn("attempt %d was copied without its tasks: %v", a.ID, err)
			}
		}
		c.report.Tasks += int64(len(a.Tasks))
		for _, t := range a.Tasks {
			c.last.Task = max(c.last.Task, int64(t.ID))
		}
		return b.add(ctx, a, len(row.tasks.String)+len(row.params.String))
	})
	if unreadable > shownWarnings {
		c.warn("%d attempts in all were copied without their tasks", unreadable)
	}
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

// attemptRow holds an attempt while a row is read.
type attemptRow struct {
	a              store.ImportedAttempt
	params, tasks  sql.NullString
	created        time.Time
	ended, stashed sql.NullTime
}

func (row *attemptRow) dest() []any {
	a := &row.a
	return []any{
		&a.ID, &a.SessionID, &a.ProjectID, &a.Workflow, &a.Name, &a.Index, &a.WorkflowID, &a.Zone,
		&row.params, &a.Flags, &row.created, &row.ended, &row.tasks, &row.stashed,
	}
}

// attempt returns the attempt. Digdag did not always store when an attempt ended. If not, the time is when its tasks were
// archived, or when it began.
func (row *attemptRow) attempt() (a store.ImportedAttempt, err error) {
	a = row.a
	a.Cause, a.Version, a.CreatedAt = Cause, 1, row.created
	a.FinishedAt, a.ArchivedAt = row.created, row.created
	for _, at := range []sql.NullTime{row.stashed, row.ended} {
		if at.Valid {
			a.FinishedAt, a.ArchivedAt = at.Time, at.Time
		}
	}
	a.Params, err = object(row.params)
	return a, err
}
