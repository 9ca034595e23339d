package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertDelayed = `INSERT INTO delayed_attempt (attempt_id, depends_on, next_run_at) VALUES ($1, $2, $3)
ON CONFLICT (attempt_id) DO UPDATE SET depends_on = excluded.depends_on, next_run_at = excluded.next_run_at`
	sqlFindDelayed      = `SELECT attempt_id, depends_on, next_run_at FROM delayed_attempt WHERE attempt_id = $1`
	sqlDeleteDelayed    = `DELETE FROM delayed_attempt WHERE attempt_id = $1`
	sqlListReadyDelayed = `SELECT d.attempt_id, d.depends_on, d.next_run_at FROM delayed_attempt d WHERE d.next_run_at <= $1
AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.session_id = d.depends_on AND a.finished_at IS NULL) ORDER BY d.attempt_id LIMIT $2`
)

func (t *tx) InsertQueuedBackfillAttempt(ctx context.Context, d *trowel.QueuedBackfillAttempt) error {
	var dependsOn any
	if d.DependsOn != 0 {
		dependsOn = d.DependsOn
	}
	if _, err := t.exec(ctx, sqlInsertDelayed, d.AttemptID, dependsOn, micros(d.NextRunAt)); err != nil {
		return fmt.Errorf("delay attempt %d: %w", d.AttemptID, err)
	}
	return nil
}

func (t *tx) FindQueuedBackfillAttempt(ctx context.Context, id trowel.AttemptID) (*trowel.QueuedBackfillAttempt, error) {
	d, err := first(t.delayed(ctx, sqlFindDelayed, id))
	if err != nil {
		return nil, fmt.Errorf("find what attempt %d waits for: %w", id, err)
	}
	return &d, nil
}

func (t *tx) DeleteQueuedBackfillAttempt(ctx context.Context, id trowel.AttemptID) error {
	if _, err := t.exec(ctx, sqlDeleteDelayed, id); err != nil {
		return fmt.Errorf("end the wait of attempt %d: %w", id, err)
	}
	return nil
}

func (t *tx) ListDueBackfillAttempts(ctx context.Context, now time.Time, limit int) ([]trowel.QueuedBackfillAttempt, error) {
	list, err := t.delayed(ctx, sqlListReadyDelayed, micros(now), limit)
	if err != nil {
		return nil, fmt.Errorf("list attempts that need not wait: %w", err)
	}
	return list, nil
}

func (t *tx) delayed(ctx context.Context, query string, args ...any) ([]trowel.QueuedBackfillAttempt, error) {
	var list []trowel.QueuedBackfillAttempt
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var d trowel.QueuedBackfillAttempt
		var dependsOn, next sql.NullInt64
		err := scan(&d.AttemptID, &dependsOn, &next)
		d.DependsOn, d.NextRunAt = trowel.SessionID(dependsOn.Int64), instant(next)
		list = append(list, d)
		return err
	})
	return list, err
}
