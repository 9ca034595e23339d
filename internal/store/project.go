package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlUpsertProject = `INSERT INTO project (name, created_at) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, created_at`
	sqlInsertRevision = `INSERT INTO revision (project_id, name, params, created_at) VALUES ($1, $2, $3, $4) RETURNING id`
	sqlInsertWorkflow = `INSERT INTO workflow (revision_id, name, zone, definition) VALUES ($1, $2, $3, $4) RETURNING id`
	sqlFindProject    = `SELECT id, name, created_at FROM project WHERE name = $1`
	sqlFindWorkflow   = `SELECT w.id, w.name, w.zone, w.definition, r.id, r.name, r.params, r.created_at
FROM workflow w JOIN revision r ON r.id = w.revision_id
WHERE w.name = $2 AND r.id = (SELECT max(id) FROM revision WHERE project_id = $1)`
)

func (t *tx) InsertRevision(ctx context.Context, p *trowel.Project, r *trowel.Revision, workflows []*trowel.Workflow) error {
	var created sql.NullInt64
	if err := t.row(ctx, sqlUpsertProject, []any{p.Name, micros(p.CreatedAt)}, &p.ID, &created); err != nil {
		return fmt.Errorf("insert project %q: %w", p.Name, err)
	}
	p.CreatedAt = instant(created)
	r.ProjectID = p.ID
	if err := t.row(ctx, sqlInsertRevision, []any{r.ProjectID, r.Name, object(r.Params), micros(r.CreatedAt)}, &r.ID); err != nil {
		return fmt.Errorf("insert revision %q of project %q: %w", r.Name, p.Name, err)
	}
	for _, w := range workflows {
		w.RevisionID = r.ID
		if err := t.row(ctx, sqlInsertWorkflow, []any{w.RevisionID, w.Name, w.Zone, object(w.Definition)}, &w.ID); err != nil {
			return fmt.Errorf("insert workflow %q of project %q: %w", w.Name, p.Name, err)
		}
	}
	return nil
}

func (t *tx) FindProject(ctx context.Context, name string) (*trowel.Project, error) {
	p := &trowel.Project{}
	var created sql.NullInt64
	if err := t.row(ctx, sqlFindProject, []any{name}, &p.ID, &p.Name, &created); err != nil {
		return nil, fmt.Errorf("find project %q: %w", name, err)
	}
	p.CreatedAt = instant(created)
	return p, nil
}

func (t *tx) FindWorkflow(ctx context.Context, project trowel.ProjectID, name string) (*trowel.Workflow, *trowel.Revision, error) {
	w, r := &trowel.Workflow{}, &trowel.Revision{ProjectID: project}
	var definition, params sql.NullString
	var created sql.NullInt64
	err := t.row(ctx, sqlFindWorkflow, []any{project, name},
		&w.ID, &w.Name, &w.Zone, &definition, &r.ID, &r.Name, &params, &created)
	if err != nil {
		return nil, nil, fmt.Errorf("find workflow %q: %w", name, err)
	}
	w.RevisionID, r.CreatedAt = r.ID, instant(created)
	if w.Definition, err = readObject(definition); err != nil {
		return nil, nil, err
	}
	r.Params, err = readObject(params)
	return w, r, err
}
