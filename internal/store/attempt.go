package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const attemptColumns = `a.id, a.session_id, a.project_id, a.name, a.number, a.workflow_id, a.zone, a.params, a.flags, a.cause, a.actor,
coalesce((SELECT v.version FROM attempt_version v WHERE v.attempt_id = a.id), a.version), a.created_at, a.finished_at, a.wait_reason`

const (
	sqlUpsertSession = `INSERT INTO session (project_id, workflow, session_time, uuid) VALUES ($1, $2, $3, $4)
ON CONFLICT (project_id, workflow, session_time) DO UPDATE SET workflow = excluded.workflow RETURNING id, uuid`
	sqlInsertAttempt = `INSERT INTO attempt (session_id, project_id, workflow, name, number, workflow_id, zone, params, flags, cause, actor, version,
created_at, wait_reason) SELECT $1, $2, $3, $4, 1 + coalesce(max(number), 0), $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM attempt WHERE session_id = $1
ON CONFLICT (session_id, name) DO NOTHING RETURNING id, number`
	sqlSelectAttempts = `SELECT ` + attemptColumns + ` FROM attempt a`
	sqlFindAttempt    = sqlSelectAttempts + ` WHERE a.id = $1`
	sqlFindLatest     = `SELECT ` + attemptColumns + ` FROM attempt a JOIN session s ON s.id = a.session_id
WHERE s.project_id = $1 AND s.workflow = $2 AND s.session_time = $3 AND ($4 = '' OR a.name = $4)
ORDER BY a.number DESC LIMIT 1`
	sqlCountRunning         = `SELECT count(*) FROM attempt WHERE finished_at IS NULL`
	sqlLockVersions         = `SELECT v.attempt_id FROM attempt_version v`
	sqlRaiseVersionPostgres = `UPDATE attempt_version SET version = version + 1 WHERE attempt_id = CAST($1 AS BIGINT) AND version = CAST($2 AS BIGINT)`
	// Rows are locked in the order of their ids, as by lockVersions.
	sqlRaiseVersionsPostgres = `UPDATE attempt_version v SET version = v.version + 1 FROM (SELECT o.attempt_id FROM attempt_version o
JOIN unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS k (id, version) ON o.attempt_id = k.id AND o.version = k.version
ORDER BY o.attempt_id FOR NO KEY UPDATE OF o) AS locked WHERE v.attempt_id = locked.attempt_id`
	sqlFindSetting = `SELECT ` + definitionColumns + `, ` + sessionColumns + definitionTables + ` JOIN attempt a ON a.workflow_id = w.id
JOIN session s ON s.id = a.session_id WHERE a.id = $1`
)

func (t *tx) InsertAttempt(ctx context.Context, s *trowel.Session, a *trowel.Attempt) error {
	err := t.row(ctx, sqlUpsertSession, []any{s.ProjectID, s.Workflow, micros(s.Time), s.UUID}, &s.ID, &s.UUID)
	if err != nil {
		return fmt.Errorf("insert session of %q: %w", s.Workflow, err)
	}
	a.SessionID, a.ProjectID = s.ID, s.ProjectID
	err = t.row(ctx, sqlInsertAttempt, []any{
		a.SessionID, s.ProjectID, s.Workflow, a.Name, a.WorkflowID, a.Zone, object(a.Params), a.Flags, a.Cause, a.Actor, a.Version, micros(a.CreatedAt),
		optional(string(a.WaitReason)),
	}, &a.ID, &a.Index)
	if errors.Is(err, trowel.ErrNotFound) {
		err = trowel.ErrTaken // nothing was inserted: the name is taken
	}
	if err == nil {
		err = t.bulk(ctx, bulk{table: "attempt_version", columns: "attempt_id BIGINT, version BIGINT"}, 1, func(v *values, _ int) {
			v.number(int64(a.ID))
			v.number(a.Version)
		})
	}
	if err == nil {
		err = t.bulk(ctx, bulk{table: "session", columns: "last_attempt_id BIGINT", keys: "id BIGINT"}, 1, func(v *values, _ int) {
			v.number(int64(a.ID))
			v.number(int64(s.ID))
		})
	}
	if err != nil {
		return fmt.Errorf("insert attempt of session %d: %w", s.ID, err)
	}
	t.markLocked(a.ID)
	return nil
}

// lockedAtOnce is how many attempts one statement locks at most.
const lockedAtOnce = 64

func (t *tx) LockAttempts(ctx context.Context, ids []trowel.AttemptID) ([]*trowel.Attempt, error) {
	sorted := slices.Sorted(slices.Values(ids))
	var attempts []*trowel.Attempt
	for some := range slices.Chunk(sorted, lockedAtOnce) {
		if err := t.lockVersions(ctx, some); err != nil {
			return nil, fmt.Errorf("lock attempts: %w", err)
		}
		locked, err := t.attempts(ctx, selectAttempts(len(some)), padded(some))
		if err != nil {
			return nil, fmt.Errorf("read locked attempts: %w", err)
		}
		attempts = append(attempts, locked...)
	}
	return attempts, nil
}

// lockVersions locks the attempts that have not ended. What was read before it may be out of date.
func (t *tx) lockVersions(ctx context.Context, ids []trowel.AttemptID) error {
	if t.dialect.OneWriter {
		return nil
	}
	return t.rows(ctx, lockVersions(len(ids))+t.dialect.LockRows, padded(ids), func(scan func(...any) error) error {
		var id trowel.AttemptID
		err := scan(&id)
		t.markLocked(id)
		return err
	})
}

func (t *tx) LockAttemptVersions(ctx context.Context, versions map[trowel.AttemptID]int64) error {
	ids := slices.Sorted(maps.Keys(versions))
	err := t.raiseVersions(ctx, ids, versions, func(rows int64) error {
		return fmt.Errorf("%w: %d of %d attempts have changed", trowel.ErrConflict, rows, len(ids))
	})
	if err != nil {
		return fmt.Errorf("raise versions of attempts: %w", err)
	}
	for _, id := range ids {
		t.markLocked(id)
	}
	return nil
}

func (t *tx) raiseVersions(ctx context.Context, ids []trowel.AttemptID, versions map[trowel.AttemptID]int64, missing func(rows int64) error) error {
	if t.dialect.Pipe == nil {
		raise := bulk{table: "attempt_version", columns: "version BIGINT", keys: "attempt_id BIGINT, version BIGINT"}
		return t.bulkAll(ctx, raise, len(ids), func(v *values, i int) {
			v.number(versions[ids[i]] + 1)
			v.number(int64(ids[i]))
			v.number(versions[ids[i]])
		}, missing)
	}
	if len(ids) == 0 {
		return nil
	}
	raise := pipedStatement{
		table: "attempt_version", columns: "id BIGINT, version BIGINT", one: sqlRaiseVersionPostgres, arrays: sqlRaiseVersionsPostgres,
	}
	return t.send(ctx, raise, len(ids), func(v *values, i int) {
		v.number(int64(ids[i]))
		v.number(versions[ids[i]])
	}, missing)
}

// lockVersions returns a statement with places for n ids or more. Their number is a power of two, so that few
// statements are prepared.
func lockVersions(n int) string {
	return sqlLockVersions + ` WHERE v.attempt_id IN (` + manyPlaces(n) + `) ORDER BY v.attempt_id`
}

func selectAttempts(n int) string {
	return sqlSelectAttempts + ` WHERE a.id IN (` + manyPlaces(n) + `) ORDER BY a.id`
}

// manyPlaces returns placeholders for n ids or more.
func manyPlaces(n int) string {
	places := &places{}
	list := make([]string, powerOfTwo(n))
	for i := range list {
		list[i] = places.next()
	}
	return strings.Join(list, ", ")
}

// padded returns ids for manyPlaces. It repeats the last one as often as needed.
func padded[T ~int64](ids []T) []any {
	args := make([]any, powerOfTwo(len(ids)))
	for i := range args {
		args[i] = int64(ids[min(i, len(ids)-1)])
	}
	return args
}

// paddedTexts is padded for texts.
func paddedTexts(texts []string) []any {
	args := make([]any, powerOfTwo(len(texts)))
	for i := range args {
		args[i] = texts[min(i, len(texts)-1)]
	}
	return args
}

func powerOfTwo(atLeast int) int {
	n := 1
	for n < atLeast {
		n *= 2
	}
	return n
}

func (t *tx) attempts(ctx context.Context, query string, args []any) ([]*trowel.Attempt, error) {
	var list []*trowel.Attempt
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		a, err := scanAttempt(scan)
		list = append(list, a)
		return err
	})
	return list, err
}

func scanAttempt(scan func(...any) error, more ...any) (*trowel.Attempt, error) {
	a := &trowel.Attempt{}
	var params, wait sql.NullString
	var created, finished sql.NullInt64
	err := scan(append([]any{
		&a.ID, &a.SessionID, &a.ProjectID, &a.Name, &a.Index, &a.WorkflowID, &a.Zone, &params, &a.Flags, &a.Cause, &a.Actor,
		&a.Version, &created, &finished, &wait,
	}, more...)...)
	if err != nil {
		return nil, err
	}
	a.CreatedAt, a.FinishedAt, a.WaitReason = instant(created), instant(finished), trowel.WaitCode(wait.String)
	a.Params, err = readObject(params)
	return a, err
}

func (t *tx) UpdateAttempts(ctx context.Context, attempts ...*trowel.Attempt) error {
	update := bulk{table: "attempt", columns: "flags SMALLINT, version BIGINT, finished_at BIGINT, wait_reason TEXT", keys: "id BIGINT"}
	err := t.bulkAll(ctx, update, len(attempts), func(v *values, i int) {
		a := attempts[i]
		v.number(int64(a.Flags))
		v.number(a.Version)
		v.instant(a.FinishedAt)
		v.text(string(a.WaitReason))
		v.number(int64(a.ID))
	}, func(rows int64) error {
		return fmt.Errorf("%d of %d attempts: %w", rows, len(attempts), trowel.ErrNotFound)
	})
	if err == nil {
		err = t.updateVersions(ctx, attempts)
	}
	switch {
	case err == nil:
		return nil
	case len(attempts) == 1:
		return fmt.Errorf("update attempt %d: %w", attempts[0].ID, err)
	}
	return fmt.Errorf("update %d attempts: %w", len(attempts), err)
}

// updateVersions writes the versions of attempts that have not ended. Ended ones have no version row.
func (t *tx) updateVersions(ctx context.Context, attempts []*trowel.Attempt) error {
	var running, ended []*trowel.Attempt
	for _, a := range attempts {
		if a.Flags&trowel.AttemptDone == 0 {
			running = append(running, a)
			continue
		}
		ended = append(ended, a)
	}
	update := bulk{table: "attempt_version", columns: "version BIGINT", keys: "attempt_id BIGINT"}
	err := t.bulk(ctx, update, len(running), func(v *values, i int) {
		v.number(running[i].Version)
		v.number(int64(running[i].ID))
	})
	if err != nil {
		return err
	}
	return t.bulk(ctx, bulk{table: "attempt_version", keys: "attempt_id BIGINT"}, len(ended), func(v *values, i int) { v.number(int64(ended[i].ID)) })
}

func (t *tx) FindAttempt(ctx context.Context, id trowel.AttemptID) (*trowel.Attempt, error) {
	a, err := t.attempt(ctx, sqlFindAttempt, id)
	if err != nil {
		return nil, fmt.Errorf("find attempt %d: %w", id, err)
	}
	return a, nil
}

func (t *tx) FindLatestAttempt(ctx context.Context, project trowel.ProjectID, workflow string, at time.Time, name string) (*trowel.Attempt, error) {
	a, err := t.attempt(ctx, sqlFindLatest, project, workflow, micros(at), name)
	if err != nil {
		return nil, fmt.Errorf("find an attempt of %q: %w", workflow, err)
	}
	return a, nil
}

func (t *tx) attempt(ctx context.Context, query string, args ...any) (*trowel.Attempt, error) {
	return first(t.attempts(ctx, query, args))
}

func (t *tx) CountRunningAttempts(ctx context.Context) (int, error) {
	var n int
	if err := t.row(ctx, sqlCountRunning, nil, &n); err != nil {
		return 0, fmt.Errorf("count running attempts: %w", err)
	}
	return n, nil
}

func (t *tx) FindAttemptContext(ctx context.Context, id trowel.AttemptID) (*trowel.AttemptContext, error) {
	var d trowel.Definition
	var row sessionRow
	s := &trowel.AttemptContext{}
	err := t.rows(ctx, sqlFindSetting, []any{id}, func(scan func(...any) error) error {
		return scanDefinition(scan, &d, row.dest(&s.Session)...)
	})
	if err == nil && d.Workflow.ID == 0 {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find what attempt %d belongs to: %w", id, err)
	}
	row.fill(&s.Session)
	s.Project, s.Revision, s.Workflow = d.Project, d.Revision, d.Workflow
	return s, nil
}
