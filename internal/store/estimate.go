package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	sqlSelectUpcoming = `SELECT d.id, d.project_id, p.name, d.workflow, d.workflow_id, d.next_run_at, d.next_session_at, c.zone, c.definition
FROM schedule d JOIN project p ON p.id = d.project_id JOIN workflow w ON w.id = d.workflow_id JOIN workflow_config c ON c.id = w.config_id`
	// The newest successes are chosen first, so that no more than these are looked at. 6 are the flags done and success.
	sqlListDurations = `SELECT page.finished_at - page.created_at FROM (SELECT a.id, a.created_at, a.finished_at, a.workflow_id, a.cause FROM attempt a
WHERE a.project_id = $1 AND a.workflow = $2 AND a.flags = 6 ORDER BY a.created_at DESC, a.id DESC LIMIT 60) page
JOIN workflow w ON w.id = page.workflow_id WHERE page.cause <> 'retry' AND page.finished_at IS NOT NULL
AND w.config_id = (SELECT o.config_id FROM workflow o WHERE o.id = $3) ORDER BY page.created_at DESC, page.id DESC LIMIT $4`
	sqlCountWaiting = `SELECT project_id, workflow, wait_reason, count(*) FROM attempt
WHERE wait_reason IS NOT NULL AND finished_at IS NULL GROUP BY project_id, workflow, wait_reason`
)

func (t *tx) ListUpcoming(ctx context.Context, f trowel.UpcomingFilter) ([]trowel.UpcomingSchedule, error) {
	s := &selection{}
	s.and("d.disabled_at IS NULL")
	s.and("d.next_run_at < ?", micros(f.Before))
	s.and("p.deleted_at IS NULL")
	s.and(notPaused)
	if f.Project != 0 {
		s.and("d.project_id = ?", f.Project)
	}
	if f.Workflow != "" {
		s.and("d.workflow = ?", f.Workflow)
	}
	var list []trowel.UpcomingSchedule
	err := t.rows(ctx, s.text(sqlSelectUpcoming, "d.next_run_at, d.id", f.Limit), s.args, func(scan func(...any) error) error {
		var u trowel.UpcomingSchedule
		var run, session sql.NullInt64
		var definition sql.NullString
		err := scan(&u.Schedule.ID, &u.Schedule.ProjectID, &u.Project, &u.Schedule.Workflow, &u.Schedule.WorkflowID, &run, &session, &u.Workflow.Zone, &definition)
		if err != nil {
			return err
		}
		u.Schedule.NextRunAt, u.Schedule.NextSessionAt = instant(run), instant(session)
		u.Workflow.ID, u.Workflow.Name = u.Schedule.WorkflowID, u.Schedule.Workflow
		if definition.Valid {
			u.Workflow.Definition, err = param.Pick(definition.String, "schedule", "timezone")
		}
		list = append(list, u)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list upcoming schedules: %w", err)
	}
	return list, nil
}

func (t *tx) ListDurations(ctx context.Context, project trowel.ProjectID, name string, workflow trowel.WorkflowID, limit int) ([]time.Duration, error) {
	var list []time.Duration
	err := t.rows(ctx, sqlListDurations, []any{project, text(name), workflow, limit}, func(scan func(...any) error) error {
		var us int64
		err := scan(&us)
		list = append(list, time.Duration(us)*time.Microsecond)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list how long attempts of workflow %q took: %w", name, err)
	}
	return list, nil
}

func (t *tx) CountWaiting(ctx context.Context) ([]trowel.WaitingAttempts, error) {
	var list []trowel.WaitingAttempts
	err := t.rows(ctx, sqlCountWaiting, nil, func(scan func(...any) error) error {
		var w trowel.WaitingAttempts
		err := scan(&w.ProjectID, &w.Workflow, &w.Reason, &w.Count)
		list = append(list, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count attempts that wait: %w", err)
	}
	return list, nil
}
