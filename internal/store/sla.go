package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertMonitor  = `INSERT INTO monitor (attempt_id, due_at, config) VALUES ($1, $2, $3)`
	sqlFindMonitor    = `SELECT due_at, config FROM monitor WHERE attempt_id = $1`
	sqlSelectMonitors = `SELECT attempt_id, due_at, config FROM monitor`
	sqlDeleteMonitor  = `DELETE FROM monitor WHERE attempt_id = $1`
)

func (t *tx) InsertSLATimer(ctx context.Context, m *trowel.SLATimer) error {
	if _, err := t.exec(ctx, sqlInsertMonitor, m.AttemptID, micros(m.DueAt), object(m.Config)); err != nil {
		return fmt.Errorf("insert monitor of attempt %d: %w", m.AttemptID, err)
	}
	return nil
}

func (t *tx) ListSLATimers(ctx context.Context, ids []trowel.AttemptID) ([]trowel.SLATimer, error) {
	var list []trowel.SLATimer
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), lockedAtOnce) {
		query := sqlSelectMonitors + ` WHERE attempt_id IN (` + manyPlaces(len(some)) + `) ORDER BY attempt_id`
		err := t.rows(ctx, query, padded(some), func(scan func(...any) error) error {
			var m trowel.SLATimer
			var due sql.NullInt64
			var config sql.NullString
			err := scan(&m.AttemptID, &due, &config)
			if err == nil {
				m.DueAt = instant(due)
				m.Config, err = readObject(config)
			}
			list = append(list, m)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list monitors of attempts: %w", err)
		}
	}
	return list, nil
}

func (t *tx) FindSLATimer(ctx context.Context, id trowel.AttemptID) (*trowel.SLATimer, error) {
	m := &trowel.SLATimer{AttemptID: id}
	var due sql.NullInt64
	var config sql.NullString
	err := t.row(ctx, sqlFindMonitor, []any{id}, &due, &config)
	if err == nil {
		m.DueAt = instant(due)
		m.Config, err = readObject(config)
	}
	if err != nil {
		return nil, fmt.Errorf("find monitor of attempt %d: %w", id, err)
	}
	return m, nil
}

func (t *tx) DeleteSLATimer(ctx context.Context, id trowel.AttemptID) error {
	if _, err := t.exec(ctx, sqlDeleteMonitor, id); err != nil {
		return fmt.Errorf("delete monitor of attempt %d: %w", id, err)
	}
	return nil
}
