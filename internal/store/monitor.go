package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertMonitor  = `INSERT INTO monitor (attempt_id, due_at, config) VALUES ($1, $2, $3)`
	sqlFindMonitor    = `SELECT due_at, config FROM monitor WHERE attempt_id = $1`
	sqlSelectMonitors = `SELECT attempt_id, due_at, config FROM monitor`
	sqlDeleteMonitor  = `DELETE FROM monitor WHERE attempt_id = $1`

	sqlInsertDelayed = `INSERT INTO delayed_attempt (attempt_id, depends_on, next_run_at) VALUES ($1, $2, $3)
ON CONFLICT (attempt_id) DO UPDATE SET depends_on = excluded.depends_on, next_run_at = excluded.next_run_at`
	sqlFindDelayed      = `SELECT attempt_id, depends_on, next_run_at FROM delayed_attempt WHERE attempt_id = $1`
	sqlDeleteDelayed    = `DELETE FROM delayed_attempt WHERE attempt_id = $1`
	sqlListReadyDelayed = `SELECT d.attempt_id, d.depends_on, d.next_run_at FROM delayed_attempt d WHERE d.next_run_at <= $1
AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.session_id = d.depends_on AND a.finished_at IS NULL) ORDER BY d.attempt_id LIMIT $2`

	sqlInsertResumed = `INSERT INTO resumed_task (attempt_id, full_name, task) VALUES ($1, $2, $3)`
	sqlListResumed   = `SELECT task FROM resumed_task WHERE attempt_id = $1 ORDER BY full_name`
	sqlDeleteResumed = `DELETE FROM resumed_task WHERE attempt_id = $1`
)

func (t *tx) InsertMonitor(ctx context.Context, m *trowel.Monitor) error {
	if _, err := t.exec(ctx, sqlInsertMonitor, m.AttemptID, micros(m.DueAt), object(m.Config)); err != nil {
		return fmt.Errorf("insert monitor of attempt %d: %w", m.AttemptID, err)
	}
	return nil
}

func (t *tx) ListMonitors(ctx context.Context, ids []trowel.AttemptID) ([]trowel.Monitor, error) {
	var list []trowel.Monitor
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), lockedAtOnce) {
		query := sqlSelectMonitors + ` WHERE attempt_id IN (` + manyPlaces(len(some)) + `) ORDER BY attempt_id`
		err := t.rows(ctx, query, padded(some), func(scan func(...any) error) error {
			var m trowel.Monitor
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

func (t *tx) FindMonitor(ctx context.Context, id trowel.AttemptID) (*trowel.Monitor, error) {
	m := &trowel.Monitor{AttemptID: id}
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

func (t *tx) DeleteMonitor(ctx context.Context, id trowel.AttemptID) error {
	if _, err := t.exec(ctx, sqlDeleteMonitor, id); err != nil {
		return fmt.Errorf("delete monitor of attempt %d: %w", id, err)
	}
	return nil
}

func (t *tx) InsertDelayed(ctx context.Context, d *trowel.Delayed) error {
	var dependsOn any
	if d.DependsOn != 0 {
		dependsOn = d.DependsOn
	}
	if _, err := t.exec(ctx, sqlInsertDelayed, d.AttemptID, dependsOn, micros(d.NextRunAt)); err != nil {
		return fmt.Errorf("delay attempt %d: %w", d.AttemptID, err)
	}
	return nil
}

func (t *tx) FindDelayed(ctx context.Context, id trowel.AttemptID) (*trowel.Delayed, error) {
	d, err := first(t.delayed(ctx, sqlFindDelayed, id))
	if err != nil {
		return nil, fmt.Errorf("find what attempt %d waits for: %w", id, err)
	}
	return &d, nil
}

func (t *tx) DeleteDelayed(ctx context.Context, id trowel.AttemptID) error {
	if _, err := t.exec(ctx, sqlDeleteDelayed, id); err != nil {
		return fmt.Errorf("end the wait of attempt %d: %w", id, err)
	}
	return nil
}

func (t *tx) ListReadyDelayed(ctx context.Context, now time.Time, limit int) ([]trowel.Delayed, error) {
	list, err := t.delayed(ctx, sqlListReadyDelayed, micros(now), limit)
	if err != nil {
		return nil, fmt.Errorf("list attempts that need not wait: %w", err)
	}
	return list, nil
}

func (t *tx) delayed(ctx context.Context, query string, args ...any) ([]trowel.Delayed, error) {
	var list []trowel.Delayed
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var d trowel.Delayed
		var dependsOn, next sql.NullInt64
		err := scan(&d.AttemptID, &dependsOn, &next)
		d.DependsOn, d.NextRunAt = trowel.SessionID(dependsOn.Int64), instant(next)
		list = append(list, d)
		return err
	})
	return list, err
}

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
