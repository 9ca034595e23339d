package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	// liveCondition begins with the condition of index task_live.
	liveCondition = `begun AND (state BETWEEN 1 AND 4 OR (state = 0 AND wait_reason IS NOT NULL))`
	liveColumns   = `attempt_id, id, state, flags, try, wait_reason, ready_at, retry_at, started_at, agent_id, needs, holds`

	sqlSelectLive     = `SELECT ` + liveColumns + ` FROM task WHERE ` + liveCondition
	sqlListOverdue    = `SELECT DISTINCT attempt_id FROM task WHERE state = 4 AND agent_id IS NOT NULL AND started_at < $1 ORDER BY attempt_id LIMIT $2`
	sqlListRunningOf  = `SELECT ` + liveColumns + ` FROM task WHERE begun AND state = 4 AND agent_id = $1 ORDER BY id`
	runningColumns    = `a.id, v.version, a.flags, a.project_id, a.workflow_id, a.workflow, a.cause, a.created_at`
	sqlSelectRunning  = `SELECT ` + runningColumns + ` FROM attempt a JOIN attempt_version v ON v.attempt_id = a.id WHERE a.finished_at IS NULL`
	sqlListRunningIDs = sqlSelectRunning + ` AND a.id > $1 ORDER BY a.id LIMIT $2`
)

func (t *tx) ListLive(ctx context.Context, attempts []trowel.AttemptID) ([]trowel.LiveTask, error) {
	read := liveReader{needs: needsReader{}}
	for some := range slices.Chunk(slices.Sorted(slices.Values(attempts)), lockedAtOnce) {
		if err := t.rows(ctx, listLive(len(some)), padded(some), read.row); err != nil {
			return nil, fmt.Errorf("list live tasks: %w", err)
		}
	}
	return read.list, nil
}

// listLive returns a statement with places for n attempts or more.
func listLive(n int) string {
	return sqlSelectLive + ` AND state <> 4 AND attempt_id IN (` + manyPlaces(n) + `) ORDER BY attempt_id, id`
}

func (t *tx) ListRunningOf(ctx context.Context, agent string) ([]trowel.LiveTask, error) {
	read := liveReader{needs: needsReader{}}
	if err := t.rows(ctx, sqlListRunningOf, []any{agent}, read.row); err != nil {
		return nil, fmt.Errorf("list running tasks of agent %q: %w", agent, err)
	}
	return read.list, nil
}

// liveReader collects live tasks.
type liveReader struct {
	needs needsReader
	list  []trowel.LiveTask
}

func (r *liveReader) row(scan func(...any) error) error {
	var row trowel.LiveTask
	var wait, agent, needs, holds sql.NullString
	var ready, retry, started sql.NullInt64
	err := scan(&row.AttemptID, &row.TaskID, &row.State, &row.Flags, &row.Try, &wait, &ready, &retry, &started, &agent, &needs, &holds)
	if err != nil {
		return err
	}
	row.WaitReason, row.AgentID = trowel.WaitCode(wait.String), agent.String
	row.ReadyAt, row.RetryAt, row.StartedAt = instant(ready), instant(retry), instant(started)
	var errNeeds error
	row.Requirements, errNeeds = r.needs.read(needs)
	err = errors.Join(errNeeds, readJSON(holds, &row.Acquired))
	r.list = append(r.list, row)
	return err
}

func (t *tx) ListOverdue(ctx context.Context, startedBefore time.Time, limit int) ([]trowel.AttemptID, error) {
	var list []trowel.AttemptID
	err := t.rows(ctx, sqlListOverdue, []any{micros(startedBefore), limit}, func(scan func(...any) error) error {
		var id trowel.AttemptID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list attempts with tasks that run for long: %w", err)
	}
	return list, nil
}

func (t *tx) ListRunning(ctx context.Context, after trowel.AttemptID, limit int) ([]trowel.RunningAttempt, error) {
	list, err := t.running(ctx, nil, sqlListRunningIDs, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list attempts that run: %w", err)
	}
	return list, nil
}

func (t *tx) FindRunning(ctx context.Context, attempts []trowel.AttemptID) ([]trowel.RunningAttempt, error) {
	var list []trowel.RunningAttempt
	for some := range slices.Chunk(slices.Sorted(slices.Values(attempts)), lockedAtOnce) {
		var err error
		if list, err = t.running(ctx, list, findRunning(len(some)), padded(some)...); err != nil {
			return nil, fmt.Errorf("find attempts that run: %w", err)
		}
	}
	return list, nil
}

// findRunning returns a statement with places for n attempts or more.
func findRunning(n int) string {
	return sqlSelectRunning + ` AND a.id IN (` + manyPlaces(n) + `) ORDER BY a.id`
}

// running appends the attempts that a query finds to a list.
func (t *tx) running(ctx context.Context, list []trowel.RunningAttempt, query string, args ...any) ([]trowel.RunningAttempt, error) {
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var a trowel.RunningAttempt
		var created sql.NullInt64
		err := scan(&a.ID, &a.Version, &a.Flags, &a.ProjectID, &a.WorkflowID, &a.Workflow, &a.Cause, &created)
		a.CreatedAt = instant(created)
		list = append(list, a)
		return err
	})
	return list, err
}
