package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlListChanged = `SELECT id, parent_id, state, try, wait_reason, started_at, updated_at, version FROM task
WHERE attempt_id = $1 AND version > $2 LIMIT $3`

func (t *tx) ListChanged(ctx context.Context, attempt trowel.AttemptID, newerThan int64, limit int) ([]trowel.ChangedTask, error) {
	var list []trowel.ChangedTask
	err := t.rows(ctx, sqlListChanged, []any{attempt, newerThan, limit}, func(scan func(...any) error) error {
		var row trowel.ChangedTask
		var parent, started, updated sql.NullInt64
		var wait sql.NullString
		err := scan(&row.ID, &parent, &row.State, &row.Try, &wait, &started, &updated, &row.Version)
		row.ParentID, row.WaitReason = trowel.TaskID(parent.Int64), trowel.WaitCode(wait.String)
		row.StartedAt, row.UpdatedAt = instant(started), instant(updated)
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list changed tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}
