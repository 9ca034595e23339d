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
	projectColumns  = `p.id, p.name, p.created_at, p.deleted_at`
	revisionColumns = `r.id, r.project_id, r.name, r.params, r.archive_type, r.archive_key, r.archive_md5, r.archive_bytes,
r.user_info, r.actor, r.created_at`

	sqlUpsertProject = `INSERT INTO project (name, created_at) VALUES ($1, $2)
ON CONFLICT (name) WHERE deleted_at IS NULL DO UPDATE SET name = excluded.name RETURNING id, created_at`
	sqlInsertRevision = `INSERT INTO revision (project_id, name, params, archive_type, archive_key, archive_md5, archive_bytes, user_info,
actor, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (project_id, name) DO NOTHING RETURNING id`
	sqlSetRevision     = `UPDATE project SET revision_id = $2 WHERE id = $1`
	sqlFindProject     = `SELECT ` + projectColumns + ` FROM project p WHERE p.name = $1 AND p.deleted_at IS NULL`
	sqlFindProjectByID = `SELECT ` + projectColumns + ` FROM project p WHERE p.id = $1`
	sqlDeleteProject   = `UPDATE project SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL`
	sqlDeleteSchedules = `DELETE FROM schedule WHERE project_id = $1`
	sqlDeleteSecrets   = `DELETE FROM secret WHERE project_id = $1`
	sqlDeletePauses    = `DELETE FROM workflow_pause WHERE project_id = $1`
	sqlFindRevision    = `SELECT ` + revisionColumns + ` FROM revision r WHERE r.project_id = $1 AND r.name = $2`
	sqlFindLatestRev   = `SELECT ` + revisionColumns + ` FROM revision r JOIN project p ON r.id = p.revision_id WHERE p.id = $1`
)

func (t *tx) InsertRevision(ctx context.Context, p *trowel.Project, r *trowel.Revision, workflows []*trowel.Workflow) error {
	var created sql.NullInt64
	if err := t.row(ctx, sqlUpsertProject, []any{p.Name, micros(p.CreatedAt)}, &p.ID, &created); err != nil {
		return fmt.Errorf("insert project %q: %w", p.Name, err)
	}
	p.CreatedAt = instant(created)
	r.ProjectID = p.ID
	a := r.Archive
	err := t.row(ctx, sqlInsertRevision, []any{
		r.ProjectID, r.Name, object(r.Params), a.Type, optional(a.Key), a.MD5, a.SizeBytes, object(r.UserInfo), r.Actor, micros(r.CreatedAt),
	}, &r.ID)
	if errors.Is(err, trowel.ErrNotFound) {
		err = trowel.ErrTaken // nothing was inserted: the name is taken
	}
	if err == nil {
		_, err = t.exec(ctx, sqlSetRevision, p.ID, r.ID)
	}
	if err != nil {
		return fmt.Errorf("insert revision %q of project %q: %w", r.Name, p.Name, err)
	}
	for _, w := range workflows {
		w.RevisionID = r.ID
		if err := t.insertWorkflow(ctx, p.ID, w); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) FindProject(ctx context.Context, name string) (*trowel.Project, error) {
	p, err := t.project(ctx, sqlFindProject, name)
	if err != nil {
		return nil, fmt.Errorf("find project %q: %w", name, err)
	}
	return p, nil
}

func (t *tx) FindProjectByID(ctx context.Context, id trowel.ProjectID) (*trowel.Project, error) {
	p, err := t.project(ctx, sqlFindProjectByID, id)
	if err != nil {
		return nil, fmt.Errorf("find project %d: %w", id, err)
	}
	return p, nil
}

func (t *tx) project(ctx context.Context, query string, key any) (*trowel.Project, error) {
	p := &trowel.Project{}
	var row projectRow
	if err := t.row(ctx, query, []any{key}, row.dest(p)...); err != nil {
		return nil, err
	}
	row.fill(p)
	return p, nil
}

func (t *tx) DeleteProject(ctx context.Context, id trowel.ProjectID, at time.Time) error {
	deleted, err := t.exec(ctx, sqlDeleteProject, id, micros(at))
	if err == nil && deleted == 0 {
		err = trowel.ErrNotFound
	}
	for _, query := range []string{sqlDeleteSchedules, sqlDeleteSecrets, sqlDeletePauses} {
		if err == nil {
			_, err = t.exec(ctx, query, id)
		}
	}
	if err == nil {
		err = t.deleteUselessPools(ctx)
	}
	if err != nil {
		return fmt.Errorf("delete project %d: %w", id, err)
	}
	return nil
}

func (t *tx) ListProjects(ctx context.Context, f trowel.ProjectFilter) ([]trowel.ProjectRevision, error) {
	var s selection
	s.and("p.deleted_at IS NULL")
	s.and("p.id > ?", f.After)
	if f.Only != 0 {
		s.and("p.id = ?", f.Only)
	}
	if f.Name != "" {
		s.and(contains("p.name"), f.Name)
	}
	query := s.text(`SELECT `+projectColumns+`, `+revisionColumns+` FROM project p JOIN revision r ON r.id = p.revision_id`, "p.id", f.Limit)
	var list []trowel.ProjectRevision
	err := t.rows(ctx, query, s.args, func(scan func(...any) error) error {
		var both trowel.ProjectRevision
		var p projectRow
		var r revisionRow
		if err := scan(append(p.dest(&both.Project), r.dest(&both.Revision)...)...); err != nil {
			return err
		}
		p.fill(&both.Project)
		err := r.fill(&both.Revision)
		list = append(list, both)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	return list, nil
}

func (t *tx) FindRevision(ctx context.Context, project trowel.ProjectID, name string) (*trowel.Revision, error) {
	query, args := sqlFindRevision, []any{project, name}
	if name == "" {
		query, args = sqlFindLatestRev, []any{project}
	}
	r, err := first(t.revisions(ctx, query, args...))
	if err != nil {
		return nil, fmt.Errorf("find revision %q of project %d: %w", name, project, err)
	}
	return r, nil
}

func (t *tx) ListRevisions(ctx context.Context, project trowel.ProjectID, before trowel.RevisionID, limit int) ([]*trowel.Revision, error) {
	var s selection
	s.and("r.project_id = ?", project)
	if before != 0 {
		s.and("r.id < ?", before)
	}
	list, err := t.revisions(ctx, s.text(`SELECT `+revisionColumns+` FROM revision r`, "r.id DESC", limit), s.args...)
	if err != nil {
		return nil, fmt.Errorf("list revisions of project %d: %w", project, err)
	}
	return list, nil
}

func (t *tx) revisions(ctx context.Context, query string, args ...any) ([]*trowel.Revision, error) {
	var list []*trowel.Revision
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		r := &trowel.Revision{}
		var row revisionRow
		if err := scan(row.dest(r)...); err != nil {
			return err
		}
		list = append(list, r)
		return row.fill(r)
	})
	return list, err
}

// projectRow holds columns of a project while a row is read.
type projectRow struct{ created, deleted sql.NullInt64 }

func (row *projectRow) dest(p *trowel.Project) []any {
	return []any{&p.ID, &p.Name, &row.created, &row.deleted}
}

func (row *projectRow) fill(p *trowel.Project) {
	p.CreatedAt, p.DeletedAt = instant(row.created), instant(row.deleted)
}

// revisionRow holds columns of a revision while a row is read.
type revisionRow struct {
	params, key, userInfo sql.NullString
	created               sql.NullInt64
}

func (row *revisionRow) dest(r *trowel.Revision) []any {
	return []any{
		&r.ID, &r.ProjectID, &r.Name, &row.params, &r.Archive.Type, &row.key, &r.Archive.MD5, &r.Archive.SizeBytes,
		&row.userInfo, &r.Actor, &row.created,
	}
}

func (row *revisionRow) fill(r *trowel.Revision) error {
	r.Archive.Key, r.CreatedAt = row.key.String, instant(row.created)
	var errParams, errUser error
	r.Params, errParams = readObject(row.params)
	r.UserInfo, errUser = readObject(row.userInfo)
	return errors.Join(errParams, errUser)
}
