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
	failureColumns = `at BIGINT, attempt_id BIGINT, project_id BIGINT, workflow TEXT, cause BIGINT, operator TEXT, kind TEXT, message TEXT,
task_id BIGINT, task_name TEXT, try INTEGER, tasks INTEGER`

	// The newest failures are chosen first, so that no more than a limit of them are looked at.
	failedAttempts = `SELECT page.cause, page.attempt_id, sum(page.tasks), min(page.at), max(page.at), max(page.id), min(l.flags)
FROM (SELECT f.id, f.at, f.cause, f.attempt_id, f.project_id, f.tasks FROM failure f`
	failedAttemptsOf = `) page JOIN attempt a ON a.id = page.attempt_id JOIN session s ON s.id = a.session_id JOIN attempt l ON l.id = s.last_attempt_id
JOIN project p ON p.id = page.project_id WHERE p.deleted_at IS NULL GROUP BY page.cause, page.attempt_id`

	sqlSelectFailures = `SELECT f.id, f.at, f.attempt_id, f.project_id, f.workflow, f.cause, f.operator, f.kind, f.message, f.task_id, f.task_name, f.try, f.tasks,
p.name, s.session_time, a.zone, y.last_lines FROM failure f JOIN attempt a ON a.id = f.attempt_id JOIN session s ON s.id = a.session_id
JOIN project p ON p.id = f.project_id
LEFT JOIN task_try y ON y.attempt_id = f.attempt_id AND y.task_id = f.task_id AND y.number = f.try`
	sqlListFailures = sqlSelectFailures + ` WHERE f.attempt_id = $1 ORDER BY f.id LIMIT $2`
)

func (t *tx) InsertFailures(ctx context.Context, failures []trowel.Failure) error {
	err := t.bulk(ctx, bulk{table: "failure", columns: failureColumns}, len(failures), func(v *values, i int) {
		f := &failures[i]
		v.number(f.At.UnixMicro())
		v.number(int64(f.AttemptID))
		v.number(int64(f.ProjectID))
		v.name(f.Workflow)
		v.number(int64(f.Cause))
		v.name(f.Operator)
		v.name(f.Kind)
		v.name(f.Message)
		v.number(int64(f.TaskID))
		v.name(f.TaskName)
		v.number(int64(f.Try))
		v.number(int64(f.Tasks))
	})
	if err != nil {
		return fmt.Errorf("insert %d failures: %w", len(failures), err)
	}
	return nil
}

func (t *tx) ListFailedAttempts(ctx context.Context, f trowel.FailureFilter) ([]trowel.FailedAttempt, error) {
	s := &selection{}
	s.and("f.at >= ?", micros(f.Since))
	s.and("f.at < ?", micros(f.Until))
	if f.Project != 0 {
		s.and("f.project_id = ?", f.Project)
	}
	if f.Workflow != "" {
		s.and("f.workflow = ?", f.Workflow)
	}
	if f.Cause != 0 {
		s.and("f.cause = ?", int64(f.Cause))
	}
	var list []trowel.FailedAttempt
	err := t.rows(ctx, s.text(failedAttempts, "f.at DESC, f.id DESC", f.Limit)+failedAttemptsOf, s.args, func(scan func(...any) error) error {
		var row trowel.FailedAttempt
		var first, last sql.NullInt64
		var flags trowel.AttemptFlags
		err := scan(&row.Cause, &row.AttemptID, &row.Tasks, &first, &last, &row.LastID, &flags)
		row.First, row.Last, row.Recovered = instant(first), instant(last), flags&trowel.AttemptSuccess != 0
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list attempts that failed: %w", err)
	}
	return list, nil
}

func (t *tx) FindFailures(ctx context.Context, ids []int64) ([]trowel.FailureSample, error) {
	var list []trowel.FailureSample
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), lockedAtOnce) {
		part, err := t.failures(ctx, sqlSelectFailures+` WHERE f.id IN (`+manyPlaces(len(some))+`) ORDER BY f.id`, padded(some)...)
		if err != nil {
			return nil, fmt.Errorf("find failures: %w", err)
		}
		list = append(list, part...)
	}
	return list, nil
}

func (t *tx) ListFailures(ctx context.Context, attempt trowel.AttemptID, limit int) ([]trowel.FailureSample, error) {
	list, err := t.failures(ctx, sqlListFailures, attempt, limit)
	if err != nil {
		return nil, fmt.Errorf("list failures of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) failures(ctx context.Context, query string, args ...any) ([]trowel.FailureSample, error) {
	var list []trowel.FailureSample
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var f trowel.FailureSample
		var at, session sql.NullInt64
		var last sql.NullString
		err := scan(&f.ID, &at, &f.AttemptID, &f.ProjectID, &f.Workflow, &f.Cause, &f.Operator, &f.Kind, &f.Message, &f.TaskID, &f.TaskName, &f.Try, &f.Tasks,
			&f.Project, &session, &f.Zone, &last)
		f.At, f.SessionTime, f.LastLines = instant(at), instant(session), readLines(last)
		list = append(list, f)
		return err
	})
	return list, err
}

func (t *tx) FindKnownCauses(ctx context.Context, causes []trowel.Cause, project trowel.ProjectID, from, to time.Time) (map[trowel.Cause]bool, error) {
	known := map[trowel.Cause]bool{}
	// One row of each cause is enough, which the index has first: so each cause is a query of its own.
	for _, cause := range causes {
		s := &selection{}
		s.and("f.cause = ?", int64(cause))
		s.and("f.at >= ?", micros(from))
		s.and("f.at < ?", micros(to))
		if project != 0 {
			s.and("f.project_id = ?", project)
		}
		err := t.rows(ctx, s.text(`SELECT f.id FROM failure f`, "f.at", 1), s.args, func(scan func(...any) error) error {
			known[cause] = true
			return scan(new(int64))
		})
		if err != nil {
			return nil, fmt.Errorf("find known causes: %w", err)
		}
	}
	return known, nil
}

func (t *tx) CountCauses(
	ctx context.Context, causes []trowel.Cause, project trowel.ProjectID, except trowel.AttemptID, since time.Time,
) (map[trowel.Cause]int, error) {
	counts := map[trowel.Cause]int{}
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(causes))), lockedAtOnce) {
		query := `SELECT f.cause, count(DISTINCT f.attempt_id) FROM failure f WHERE f.at >= $1 AND f.attempt_id <> $2 AND (CAST($3 AS BIGINT) = 0 OR f.project_id = CAST($3 AS BIGINT))
AND f.cause IN ` + list(4, len(some)) + ` GROUP BY f.cause`
		err := t.rows(ctx, query, append([]any{micros(since), except, int64(project)}, padded(some)...), func(scan func(...any) error) error {
			var cause trowel.Cause
			var n int
			err := scan(&cause, &n)
			counts[cause] = n
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("count causes: %w", err)
		}
	}
	return counts, nil
}
