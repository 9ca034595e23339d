package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertPool = `INSERT INTO pool (project_id, name, slots, description, include_deferred, actor, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`
	sqlUpdatePool = `UPDATE pool SET slots = $2, description = $3, include_deferred = $4, actor = $5, updated_at = $6 WHERE id = $1`
	sqlDeletePool = `DELETE FROM pool WHERE id = $1`
	sqlListPools  = `SELECT id, project_id, name, slots, description, include_deferred, actor, created_at, updated_at FROM pool
ORDER BY project_id IS NOT NULL, name, project_id`
	sqlDeleteUselessPools = `DELETE FROM pool WHERE project_id IN (SELECT p.id FROM project p WHERE p.deleted_at IS NOT NULL)
AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.project_id = pool.project_id AND a.finished_at IS NULL)`
)

func (t *tx) InsertPool(ctx context.Context, p *trowel.Pool) error {
	err := t.row(ctx, sqlInsertPool, []any{
		number(p.ProjectID), p.Name, p.Slots, p.Description, p.IncludeDeferred, p.Actor, micros(p.CreatedAt), micros(p.UpdatedAt),
	}, &p.ID)
	if errors.Is(err, trowel.ErrNotFound) {
		err = trowel.ErrTaken // nothing was inserted: the name is taken
	}
	if err != nil {
		return fmt.Errorf("insert pool %q: %w", p.Name, err)
	}
	return nil
}

func (t *tx) UpdatePool(ctx context.Context, p *trowel.Pool) error {
	rows, err := t.exec(ctx, sqlUpdatePool, p.ID, p.Slots, p.Description, p.IncludeDeferred, p.Actor, micros(p.UpdatedAt))
	if err := mustChange(rows, err); err != nil {
		return fmt.Errorf("update pool %d: %w", p.ID, err)
	}
	return nil
}

func (t *tx) DeletePool(ctx context.Context, id trowel.PoolID) error {
	if err := mustChange(t.exec(ctx, sqlDeletePool, id)); err != nil {
		return fmt.Errorf("delete pool %d: %w", id, err)
	}
	return nil
}

func (t *tx) ListPools(ctx context.Context) ([]*trowel.Pool, error) {
	var list []*trowel.Pool
	err := t.rows(ctx, sqlListPools, nil, func(scan func(...any) error) error {
		p := &trowel.Pool{}
		var project, created, updated sql.NullInt64
		err := scan(&p.ID, &project, &p.Name, &p.Slots, &p.Description, &p.IncludeDeferred, &p.Actor, &created, &updated)
		p.ProjectID, p.CreatedAt, p.UpdatedAt = trowel.ProjectID(project.Int64), instant(created), instant(updated)
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list pools: %w", err)
	}
	return list, nil
}

// deleteUselessPools deletes the pools of deleted projects whose attempts have all ended.
func (t *tx) deleteUselessPools(ctx context.Context) error {
	_, err := t.exec(ctx, sqlDeleteUselessPools)
	return err
}

// mustChange returns ErrNotFound if a statement changed no row.
func mustChange(rows int64, err error) error {
	if err == nil && rows == 0 {
		return trowel.ErrNotFound
	}
	return err
}
