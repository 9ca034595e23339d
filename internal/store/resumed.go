package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertResumed = `INSERT INTO resumed_task (attempt_id, full_name, task) VALUES ($1, $2, $3)`
	sqlListResumed   = `SELECT task FROM resumed_task WHERE attempt_id = $1 ORDER BY full_name`
	sqlDeleteResumed = `DELETE FROM resumed_task WHERE attempt_id = $1`
)

func (t *tx) InsertResumed(ctx context.Context, attempt trowel.AttemptID, tasks []*trowel.Task) error {
	for _, row := range tasks {
		stored := string(appendArchive(nil, []*trowel.Task{row}))
		if _, err := t.exec(ctx, sqlInsertResumed, attempt, row.FullName, stored); err != nil {
			return fmt.Errorf("insert resumed task %s of attempt %d: %w", row.FullName, attempt, err)
		}
	}
	return nil
}

func (t *tx) ListResumed(ctx context.Context, attempt trowel.AttemptID) ([]*trowel.Task, error) {
	var list []*trowel.Task
	err := t.rows(ctx, sqlListResumed, []any{attempt}, func(scan func(...any) error) error {
		var stored string
		if err := scan(&stored); err != nil {
			return err
		}
		rows, err := readArchive(attempt, stored)
		list = append(list, rows...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list resumed tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) DeleteResumed(ctx context.Context, attempt trowel.AttemptID) error {
	if _, err := t.exec(ctx, sqlDeleteResumed, attempt); err != nil {
		return fmt.Errorf("delete resumed tasks of attempt %d: %w", attempt, err)
	}
	return nil
}
