package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Lists of sessions and attempts, and their summaries.
const (
	sessionColumns = `s.id, s.project_id, s.workflow, s.session_time, s.uuid`

	sqlSelectSummary = `SELECT ` + attemptColumns + `, ` + sessionColumns + `, ` + projectColumns + ` FROM attempt a
JOIN session s ON s.id = a.session_id JOIN project p ON p.id = a.project_id`
	sqlSelectSession = `SELECT ` + attemptColumns + `, ` + sessionColumns + `, ` + projectColumns + ` FROM session s
JOIN attempt a ON a.id = s.last_attempt_id JOIN project p ON p.id = s.project_id`

	sqlFindSession        = sqlSelectSession + ` WHERE s.id = $1`
	sqlFindAttemptSummary = sqlSelectSummary + ` WHERE a.id = $1`
	sqlFindLastSession    = `SELECT max(session_time) FROM session WHERE project_id = $1 AND workflow = $2 AND session_time < $3
AND last_attempt_id IS NOT NULL`
	sqlHasActive = `SELECT a.id FROM attempt a JOIN session s ON s.id = a.session_id AND s.last_attempt_id = a.id
WHERE a.project_id = $1 AND a.workflow = $2
AND a.finished_at IS NULL AND (a.flags & 1) = 0 LIMIT 1`
)

func (t *tx) FindSession(ctx context.Context, id trowel.SessionID) (*trowel.AttemptSummary, error) {
	s, err := first(t.summaries(ctx, sqlFindSession, []any{id}, 0))
	if err != nil {
		return nil, fmt.Errorf("find session %d: %w", id, err)
	}
	return s, nil
}

func (t *tx) FindAttemptSummary(ctx context.Context, id trowel.AttemptID) (*trowel.AttemptSummary, error) {
	s, err := first(t.summaries(ctx, sqlFindAttemptSummary, []any{id}, 0))
	if err != nil {
		return nil, fmt.Errorf("find attempt %d: %w", id, err)
	}
	return s, nil
}

func (t *tx) ListSessions(ctx context.Context, f trowel.SessionFilter) ([]*trowel.AttemptSummary, error) {
	var s selection
	if f.Project != 0 {
		s.and("s.project_id = ?", f.Project)
	}
	if f.Workflow != "" {
		s.and("s.workflow = ?", f.Workflow)
	}
	if f.Before != 0 {
		s.and("s.id < ?", f.Before)
	}
	list, err := t.summaries(ctx, s.text(sqlSelectSession, "s.id DESC", f.Limit), s.args, f.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
}

func (t *tx) ListAttempts(ctx context.Context, f trowel.AttemptFilter) ([]*trowel.AttemptSummary, error) {
	var s selection
	if f.Project != 0 {
		s.and("a.project_id = ?", f.Project)
	}
	if f.Workflow != "" {
		s.and("a.workflow = ?", f.Workflow)
	}
	if f.Session != 0 {
		s.and("a.session_id = ?", f.Session)
	}
	if f.LastOnly {
		// It is never smaller. For an equality, planners assume that few rows match, and read them all.
		s.and("s.last_attempt_id <= a.id")
	}
	if f.Before != 0 {
		s.and("a.id < ?", f.Before)
	}
	list, err := t.summaries(ctx, s.text(sqlSelectSummary, "a.id DESC", f.Limit), s.args, f.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	return list, nil
}

// summaryBytes is what a summary counts in a list, in addition to its parameters.
const summaryBytes = 256

// errEnough ends the reading of a list that has reached its largest size.
var errEnough = errors.New("the list is long enough")

// summaries reads a list up to the row that brings it to most bytes. Zero means no limit.
func (t *tx) summaries(ctx context.Context, query string, args []any, most int) ([]*trowel.AttemptSummary, error) {
	var list []*trowel.AttemptSummary
	var bytes int
	err := t.rows(ctx, query, args, func(read func(...any) error) error {
		scan := func(dest ...any) error {
			err := read(dest...)
			bytes += summaryBytes
			for _, column := range dest {
				if text, ok := column.(*sql.NullString); ok {
					bytes += len(text.String)
				}
			}
			return err
		}
		s := &trowel.AttemptSummary{}
		var session sessionRow
		var project projectRow
		a, err := scanAttempt(scan, append(session.dest(&s.Session), project.dest(&s.Project)...)...)
		if err != nil {
			return err
		}
		session.fill(&s.Session)
		project.fill(&s.Project)
		s.Attempt = *a
		list = append(list, s)
		if most > 0 && bytes >= most {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

func (t *tx) FindLastSession(ctx context.Context, project trowel.ProjectID, workflow string, before time.Time) (time.Time, error) {
	var last sql.NullInt64
	if err := t.row(ctx, sqlFindLastSession, []any{project, workflow, micros(before)}, &last); err != nil {
		return time.Time{}, fmt.Errorf("find the last session of %q: %w", workflow, err)
	}
	return instant(last), nil
}

func (t *tx) HasActiveAttempt(ctx context.Context, project trowel.ProjectID, workflow string) (bool, error) {
	err := t.row(ctx, sqlHasActive, []any{project, workflow}, new(int64))
	if errors.Is(err, trowel.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find an active attempt of %q: %w", workflow, err)
	}
	return true, nil
}

// sessionRow holds columns of a session while a row is read.
type sessionRow struct{ at sql.NullInt64 }

func (row *sessionRow) dest(s *trowel.Session) []any {
	return []any{&s.ID, &s.ProjectID, &s.Workflow, &row.at, &s.UUID}
}

func (row *sessionRow) fill(s *trowel.Session) { s.Time = instant(row.at) }
