package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	retentionTables = ` FROM attempt a JOIN session s ON s.id = a.session_id JOIN project p ON p.id = a.project_id`
	// oldCondition selects attempts that ended before $1 and that their session does not need. An earlier attempt of
	// a session is never needed. For the last one see trowel.RetentionTx.
	oldCondition = `(a.finished_at IS NOT NULL AND a.finished_at < $1 AND (a.id <> s.last_attempt_id OR (
(p.deleted_at IS NOT NULL OR EXISTS (SELECT 1 FROM session n WHERE n.project_id = s.project_id AND n.workflow = s.workflow
AND n.session_time > s.session_time))
AND NOT EXISTS (SELECT 1 FROM delayed_attempt d WHERE d.depends_on = s.id)
AND NOT EXISTS (SELECT 1 FROM attempt o WHERE o.session_id = s.id AND o.id <> a.id AND (o.finished_at IS NULL OR o.finished_at >= $1)))))`

	sqlListOldAttempts = `SELECT a.id, a.created_at, ` + oldCondition + retentionTables + ` WHERE a.id > $2 ORDER BY a.id LIMIT $3`
	sqlListDeletable   = `SELECT a.id, s.id, a.id = s.last_attempt_id` + retentionTables + ` WHERE ` + oldCondition
	sqlLockSessions    = `SELECT s.id FROM session s`

	// Statements that delete what belongs to attempts. Conditions are added where they are used.
	sqlDeleteAttemptArchives = `DELETE FROM task_archive`
	sqlDeleteAttemptTries    = `DELETE FROM task_try`
	sqlDeleteAttemptFailures = `DELETE FROM failure`
	sqlDeleteAttemptAudits   = `DELETE FROM audit`
	sqlDeleteAttemptLogs     = `DELETE FROM log_chunk`
	sqlDeleteAttemptMonitors = `DELETE FROM monitor`
	sqlDeleteAttemptResumed  = `DELETE FROM resumed_task`
	sqlDeleteAttemptDelayed  = `DELETE FROM delayed_attempt`
	sqlDeleteAttemptTasks    = `DELETE FROM task`
	sqlDeleteAttempts        = `DELETE FROM attempt`
	sqlDeleteEmptySession    = `DELETE FROM session WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.session_id = $1)`

	sqlCountDecisions  = `SELECT count(*) FROM schedule_decision WHERE at < $1`
	sqlDeleteDecisions = `DELETE FROM schedule_decision WHERE id IN (
SELECT id FROM (SELECT id, at FROM schedule_decision ORDER BY id LIMIT $2) oldest WHERE at < $1)`
	sqlCountParamValues = `SELECT count(*) FROM param_value WHERE updated_at < $1`
)

func (t *tx) ListOldAttempts(ctx context.Context, before time.Time, after trowel.AttemptID, limit int) (old []trowel.AttemptID, last trowel.AttemptID, err error) {
	young := true // all of them were made too late to have ended before the instant
	err = t.rows(ctx, sqlListOldAttempts, []any{micros(before), after, limit}, func(scan func(...any) error) error {
		var created sql.NullInt64
		var isOld bool
		if err := scan(&last, &created, &isOld); err != nil {
			return err
		}
		if isOld {
			old = append(old, last)
		}
		young = young && !instant(created).Before(before)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list old attempts: %w", err)
	}
	if young { // ids grow with time, so nothing old comes later
		last = 0
	}
	return old, last, nil
}

func (t *tx) DeleteAttempts(ctx context.Context, before time.Time, ids []trowel.AttemptID) (trowel.DeletedAttempts, error) {
	var deleted trowel.DeletedAttempts
	if err := t.lockSessions(ctx, ids); err != nil {
		return deleted, fmt.Errorf("lock sessions of old attempts: %w", err)
	}
	if err := t.deleteUselessPools(ctx); err != nil {
		return deleted, fmt.Errorf("delete pools of deleted projects: %w", err)
	}
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), lockedAtOnce) {
		for _, last := range []bool{false, true} {
			if err := t.deleteOld(ctx, before, some, last, &deleted); err != nil {
				return trowel.DeletedAttempts{}, fmt.Errorf("delete old attempts: %w", err)
			}
		}
	}
	return deleted, nil
}

// lockSessions keeps others from adding attempts to the sessions of these attempts.
func (t *tx) lockSessions(ctx context.Context, ids []trowel.AttemptID) error {
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), lockedAtOnce) {
		query := sqlLockSessions + ` WHERE s.id IN (SELECT a.session_id FROM attempt a WHERE a.id IN ` + list(1, len(some)) + `) ORDER BY s.id` + t.dialect.LockRows
		if err := t.rows(ctx, query, padded(some), func(scan func(...any) error) error { return scan(new(int64)) }); err != nil {
			return err
		}
	}
	return nil
}

// list returns places for n ids, see padded. Their numbers begin with first.
func list(first, n int) string {
	p := &places{n: first - 1}
	texts := make([]string, powerOfTwo(n))
	for i := range texts {
		texts[i] = p.next()
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// deleteOld deletes those of the attempts that are old. If last is true, these are the last attempts of their sessions,
// which are deleted as well; else all others.
func (t *tx) deleteOld(ctx context.Context, before time.Time, ids []trowel.AttemptID, last bool, deleted *trowel.DeletedAttempts) error {
	var old []trowel.AttemptID
	var sessions []trowel.SessionID
	query := sqlListDeletable + ` AND a.id IN ` + list(2, len(ids)) + ` ORDER BY a.id`
	err := t.rows(ctx, query, append([]any{micros(before)}, padded(ids)...), func(scan func(...any) error) error {
		var id trowel.AttemptID
		var session trowel.SessionID
		var isLast bool
		err := scan(&id, &session, &isLast)
		if isLast == last {
			old, sessions = append(old, id), append(sessions, session)
		}
		return err
	})
	if err != nil || len(old) == 0 {
		return err
	}
	// Transactions that write what belongs to an ended attempt lock it, so no rows can be added after this.
	err = t.rows(ctx, selectExisting(len(old))+t.dialect.LockForDelete, padded(old), func(scan func(...any) error) error { return scan(new(int64)) })
	if err != nil {
		return err
	}
	for _, statement := range []string{
		sqlDeleteAttemptArchives, sqlDeleteAttemptTries, sqlDeleteAttemptFailures, sqlDeleteAttemptAudits, sqlDeleteAttemptLogs, sqlDeleteAttemptMonitors,
		sqlDeleteAttemptResumed, sqlDeleteAttemptDelayed, sqlDeleteAttemptTasks,
	} {
		if _, err := t.exec(ctx, statement+` WHERE attempt_id IN `+list(1, len(old)), padded(old)...); err != nil {
			return err
		}
	}
	n, err := t.exec(ctx, sqlDeleteAttempts+` WHERE id IN `+list(1, len(old)), padded(old)...)
	if err != nil {
		return err
	}
	deleted.Attempts += int(n)
	if last {
		return t.deleteEmpty(ctx, sessions, deleted)
	}
	return nil
}

func (t *tx) deleteEmpty(ctx context.Context, sessions []trowel.SessionID, deleted *trowel.DeletedAttempts) error {
	for _, id := range sessions {
		n, err := t.exec(ctx, sqlDeleteEmptySession, id)
		if err == nil && n != 1 {
			err = fmt.Errorf("session %d: %w", id, trowel.ErrConflict) // an earlier attempt was left out
		}
		if err != nil {
			return err
		}
		deleted.Sessions++
	}
	return nil
}

func (t *tx) CountDecisions(ctx context.Context, before time.Time) (int, error) {
	return t.count(ctx, "count old decisions", sqlCountDecisions, micros(before))
}

func (t *tx) CountParamValues(ctx context.Context, before time.Time) (int, error) {
	return t.count(ctx, "count old values", sqlCountParamValues, micros(before))
}

func (t *tx) count(ctx context.Context, doing, query string, args ...any) (n int, err error) {
	if err := t.row(ctx, query, args, &n); err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	return n, nil
}

func (t *tx) DeleteDecisions(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := t.exec(ctx, sqlDeleteDecisions, micros(before), limit)
	if err != nil {
		return 0, fmt.Errorf("delete old decisions: %w", err)
	}
	return int(n), nil
}
