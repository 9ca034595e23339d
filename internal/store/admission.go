package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlPutPause = `INSERT INTO workflow_pause (project_id, workflow, at, actor, note) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (project_id, workflow) DO NOTHING`
	sqlDeletePause = `DELETE FROM workflow_pause WHERE project_id = $1 AND workflow = $2`
	sqlFindPause   = `SELECT project_id, workflow, at, actor, note FROM workflow_pause WHERE project_id = $1 AND workflow = $2`
	sqlListPauses  = `SELECT project_id, workflow, at, actor, note FROM workflow_pause ORDER BY project_id, workflow`

	sqlCountAdmitted = `SELECT count(*) FROM attempt a WHERE a.project_id = $1 AND a.workflow = $2 AND a.finished_at IS NULL AND a.wait_reason IS NULL
AND NOT EXISTS (SELECT 1 FROM delayed_attempt d WHERE d.attempt_id = a.id)`
	sqlListWaiting = `SELECT a.id FROM attempt a JOIN session s ON s.id = a.session_id
WHERE a.project_id = $1 AND a.workflow = $2 AND a.finished_at IS NULL AND a.wait_reason IS NOT NULL
ORDER BY a.cause = 'backfill', s.session_time, a.id LIMIT $3`
	sqlListWaitingWorkflows = `SELECT DISTINCT a.project_id, a.workflow FROM attempt a
WHERE a.finished_at IS NULL AND a.wait_reason IS NOT NULL ORDER BY a.project_id, a.workflow`
)

func (t *tx) PutPause(ctx context.Context, p *trowel.Pause) error {
	rows, err := t.exec(ctx, sqlPutPause, p.ProjectID, p.Workflow, micros(p.At), p.Actor, p.Note)
	if err == nil && rows == 0 {
		err = trowel.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("pause workflow %q of project %d: %w", p.Workflow, p.ProjectID, err)
	}
	return nil
}

func (t *tx) DeletePause(ctx context.Context, project trowel.ProjectID, workflow string) error {
	if err := mustChange(t.exec(ctx, sqlDeletePause, project, workflow)); err != nil {
		return fmt.Errorf("end the pause of workflow %q of project %d: %w", workflow, project, err)
	}
	return nil
}

func (t *tx) FindPause(ctx context.Context, project trowel.ProjectID, workflow string) (*trowel.Pause, error) {
	p, err := first(t.pauses(ctx, sqlFindPause, project, workflow))
	if err != nil {
		return nil, fmt.Errorf("find the pause of workflow %q of project %d: %w", workflow, project, err)
	}
	return p, nil
}

func (t *tx) ListPauses(ctx context.Context) ([]*trowel.Pause, error) {
	list, err := t.pauses(ctx, sqlListPauses)
	if err != nil {
		return nil, fmt.Errorf("list pauses: %w", err)
	}
	return list, nil
}

func (t *tx) pauses(ctx context.Context, query string, args ...any) ([]*trowel.Pause, error) {
	var list []*trowel.Pause
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		p := &trowel.Pause{}
		var at sql.NullInt64
		err := scan(&p.ProjectID, &p.Workflow, &at, &p.Actor, &p.Note)
		p.At = instant(at)
		list = append(list, p)
		return err
	})
	return list, err
}

func (t *tx) CountAdmitted(ctx context.Context, project trowel.ProjectID, workflow string) (int, error) {
	return t.count(ctx, "count admitted attempts", sqlCountAdmitted, project, workflow)
}

func (t *tx) ListWaiting(ctx context.Context, project trowel.ProjectID, workflow string, limit int) ([]trowel.AttemptID, error) {
	var list []trowel.AttemptID
	err := t.rows(ctx, sqlListWaiting, []any{project, workflow, limit}, func(scan func(...any) error) error {
		var id trowel.AttemptID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list waiting attempts of workflow %q of project %d: %w", workflow, project, err)
	}
	return list, nil
}

func (t *tx) ListWaitingWorkflows(ctx context.Context) ([]trowel.WorkflowName, error) {
	var list []trowel.WorkflowName
	err := t.rows(ctx, sqlListWaitingWorkflows, nil, func(scan func(...any) error) error {
		var w trowel.WorkflowName
		err := scan(&w.ProjectID, &w.Name)
		list = append(list, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list workflows with waiting attempts: %w", err)
	}
	return list, nil
}
