package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	scheduleColumns = `d.id, d.project_id, d.workflow, d.workflow_id, d.next_run_at, d.next_session_at, d.last_session_at,
d.created_at, d.updated_at, d.disabled_at`
	// scheduledTables join a schedule with what it starts. Only the schedule's row is locked.
	scheduledTables = definitionTables + ` JOIN schedule d ON d.workflow_id = w.id`

	sqlInsertSchedule = `INSERT INTO schedule (project_id, workflow, workflow_id, next_run_at, next_session_at, last_session_at, created_at,
updated_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`
	sqlUpdateSchedule = `UPDATE schedule SET workflow_id = $2, next_run_at = $3, next_session_at = $4, last_session_at = $5, updated_at = $6,
disabled_at = $7 WHERE id = $1`
	sqlMoveSchedule = `UPDATE schedule SET next_run_at = $3, next_session_at = $4, last_session_at = $5, updated_at = $6
WHERE id = $1 AND next_session_at = $2 AND workflow_id = $7`
	sqlDeleteSchedule = `DELETE FROM schedule WHERE id = $1`
	sqlLockSchedules  = `SELECT ` + scheduleColumns + ` FROM schedule d WHERE d.project_id = $1 ORDER BY d.id`
	sqlLockSchedule   = `SELECT d.id FROM schedule d WHERE d.id = $1`
	sqlFindSchedule   = `SELECT ` + definitionColumns + `, ` + scheduleColumns + scheduledTables + ` WHERE d.id = $1`
	sqlListDue        = `SELECT ` + definitionColumns + `, ` + scheduleColumns + scheduledTables + `
WHERE d.disabled_at IS NULL AND d.next_run_at <= $1 AND ` + notPaused + ` ORDER BY d.next_run_at, d.id LIMIT $2`
	// A paused workflow starts nothing (control K816).
	notPaused      = `NOT EXISTS (SELECT 1 FROM workflow_pause u WHERE u.project_id = d.project_id AND u.workflow = d.workflow)`
	sqlFindNextRun = `SELECT d.next_run_at FROM schedule d WHERE d.disabled_at IS NULL AND ` + notPaused + ` ORDER BY d.next_run_at LIMIT 1`

	decisionColumns  = `at BIGINT, schedule_id BIGINT, project_id BIGINT, workflow TEXT, session_at BIGINT, run_at BIGINT, what TEXT, reason TEXT, attempt_id BIGINT`
	sqlListDecisions = `SELECT id, at, schedule_id, project_id, workflow, session_at, run_at, what, reason, attempt_id FROM schedule_decision`
)

func (t *tx) InsertSchedule(ctx context.Context, s *trowel.Schedule) error {
	err := t.row(ctx, sqlInsertSchedule, []any{
		s.ProjectID, s.Workflow, s.WorkflowID, micros(s.NextRunAt), micros(s.NextSessionAt), micros(s.LastSessionAt),
		micros(s.CreatedAt), micros(s.UpdatedAt), micros(s.DisabledAt),
	}, &s.ID)
	if err != nil {
		return fmt.Errorf("insert schedule of %q: %w", s.Workflow, err)
	}
	return nil
}

func (t *tx) UpdateSchedule(ctx context.Context, s *trowel.Schedule) error {
	rows, err := t.exec(ctx, sqlUpdateSchedule, s.ID, s.WorkflowID, micros(s.NextRunAt), micros(s.NextSessionAt),
		micros(s.LastSessionAt), micros(s.UpdatedAt), micros(s.DisabledAt))
	if err == nil && rows != 1 {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("update schedule %d: %w", s.ID, err)
	}
	return nil
}

func (t *tx) UpdateSchedules(ctx context.Context, moves []trowel.ScheduleMove) ([]trowel.ScheduleID, error) {
	var moved []trowel.ScheduleID
	for i := range moves {
		s := &moves[i].Schedule
		rows, err := t.exec(ctx, sqlMoveSchedule, s.ID, micros(moves[i].From), micros(s.NextRunAt), micros(s.NextSessionAt),
			micros(s.LastSessionAt), micros(s.UpdatedAt), s.WorkflowID)
		if err != nil {
			return nil, fmt.Errorf("move schedule %d: %w", s.ID, err)
		}
		if rows == 1 {
			moved = append(moved, s.ID)
		}
	}
	return moved, nil
}

func (t *tx) DeleteSchedule(ctx context.Context, id trowel.ScheduleID) error {
	if _, err := t.exec(ctx, sqlDeleteSchedule, id); err != nil {
		return fmt.Errorf("delete schedule %d: %w", id, err)
	}
	return nil
}

func (t *tx) LockSchedules(ctx context.Context, project trowel.ProjectID) ([]*trowel.Schedule, error) {
	var list []*trowel.Schedule
	err := t.rows(ctx, sqlLockSchedules+t.dialect.LockRows, []any{project}, func(scan func(...any) error) error {
		s := &trowel.Schedule{}
		var row scheduleRow
		if err := scan(row.dest(s)...); err != nil {
			return err
		}
		row.fill(s)
		list = append(list, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock schedules of project %d: %w", project, err)
	}
	return list, nil
}

func (t *tx) FindSchedule(ctx context.Context, id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
	s, err := first(t.scheduled(ctx, sqlFindSchedule, id))
	if err != nil {
		return nil, fmt.Errorf("find schedule %d: %w", id, err)
	}
	return s, nil
}

func (t *tx) LockSchedule(ctx context.Context, id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
	if err := t.row(ctx, sqlLockSchedule+t.dialect.LockRows, []any{id}, new(int64)); err != nil {
		return nil, fmt.Errorf("lock schedule %d: %w", id, err)
	}
	return t.FindSchedule(ctx, id)
}

func (t *tx) ListSchedules(ctx context.Context, f trowel.ScheduleFilter) ([]*trowel.ScheduledWorkflow, error) {
	var s selection
	s.and("d.id > ?", f.After)
	if f.Project != 0 {
		s.and("d.project_id = ?", f.Project)
	}
	if f.Workflow != "" {
		s.and("d.workflow = ?", f.Workflow)
	}
	list, err := t.scheduled(ctx, s.text("SELECT "+definitionColumns+", "+scheduleColumns+scheduledTables, "d.id", f.Limit), s.args...)
	if err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	return list, nil
}

func (t *tx) ListDueSchedules(ctx context.Context, now time.Time, limit int) ([]*trowel.ScheduledWorkflow, error) {
	list, err := t.scheduled(ctx, sqlListDue, micros(now), limit)
	if err != nil {
		return nil, fmt.Errorf("list due schedules: %w", err)
	}
	return list, nil
}

func (t *tx) TakeDueSchedules(ctx context.Context, now time.Time, limit int) ([]*trowel.ScheduledWorkflow, error) {
	query := sqlListDue
	if t.dialect.LockRows != "" {
		query += " FOR NO KEY UPDATE OF d SKIP LOCKED"
	}
	list, err := t.scheduled(ctx, query, micros(now), limit)
	if err != nil {
		return nil, fmt.Errorf("take due schedules: %w", err)
	}
	return list, nil
}

func (t *tx) FindNextRun(ctx context.Context) (time.Time, error) {
	var next sql.NullInt64
	err := t.row(ctx, sqlFindNextRun, nil, &next)
	if errors.Is(err, trowel.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next schedule: %w", err)
	}
	return instant(next), nil
}

func (t *tx) scheduled(ctx context.Context, query string, args ...any) ([]*trowel.ScheduledWorkflow, error) {
	var list []*trowel.ScheduledWorkflow
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		s := &trowel.ScheduledWorkflow{}
		var row scheduleRow
		if err := scanDefinition(scan, &s.Definition, row.dest(&s.Schedule)...); err != nil {
			return err
		}
		row.fill(&s.Schedule)
		list = append(list, s)
		return nil
	})
	return list, err
}

// scheduleRow holds columns of a schedule while they are read.
type scheduleRow struct{ nextRun, nextSession, lastSession, created, updated, disabled sql.NullInt64 }

func (row *scheduleRow) dest(s *trowel.Schedule) []any {
	return []any{
		&s.ID, &s.ProjectID, &s.Workflow, &s.WorkflowID, &row.nextRun, &row.nextSession, &row.lastSession, &row.created, &row.updated, &row.disabled,
	}
}

func (row *scheduleRow) fill(s *trowel.Schedule) {
	s.NextRunAt, s.NextSessionAt, s.LastSessionAt = instant(row.nextRun), instant(row.nextSession), instant(row.lastSession)
	s.CreatedAt, s.UpdatedAt, s.DisabledAt = instant(row.created), instant(row.updated), instant(row.disabled)
}

func (t *tx) InsertDecisions(ctx context.Context, decisions []trowel.Decision) error {
	err := t.bulk(ctx, bulk{table: "schedule_decision", columns: decisionColumns}, len(decisions), func(v *values, i int) {
		d := &decisions[i]
		v.instant(d.At)
		v.number(int64(d.ScheduleID))
		v.number(int64(d.ProjectID))
		v.name(d.Workflow)
		v.instant(d.SessionAt)
		v.instant(d.RunAt)
		v.name(d.What)
		v.name(d.Reason)
		v.id(int64(d.AttemptID))
	})
	if err != nil {
		return fmt.Errorf("insert %d decisions: %w", len(decisions), err)
	}
	return nil
}

func (t *tx) ListDecisions(ctx context.Context, f trowel.DecisionFilter) ([]trowel.Decision, error) {
	var s selection
	s.and("project_id = ?", f.Project)
	s.and("workflow = ?", f.Workflow)
	if !f.Session.IsZero() {
		s.and("session_at = ?", micros(f.Session))
	}
	if f.Before > 0 {
		s.and("id < ?", f.Before)
	}
	text := s.text(sqlListDecisions, "id DESC", f.Limit)
	var list []trowel.Decision
	err := t.rows(ctx, text, s.args, func(scan func(...any) error) error {
		var d trowel.Decision
		var at, session, planned, attempt sql.NullInt64
		err := scan(&d.ID, &at, &d.ScheduleID, &d.ProjectID, &d.Workflow, &session, &planned, &d.What, &d.Reason, &attempt)
		d.At, d.SessionAt, d.RunAt, d.AttemptID = instant(at), instant(session), instant(planned), trowel.AttemptID(attempt.Int64)
		list = append(list, d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list decisions about %q: %w", f.Workflow, err)
	}
	return list, nil
}
