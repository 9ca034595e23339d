package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlSelectTries = `SELECT attempt_id, task_id, number, full_name, agent_id, ready_at, claimed_at, started_at, ended_at,
exit_kind, last_lines FROM task_try WHERE attempt_id = $1`
	sqlListTries = sqlSelectTries + ` ORDER BY ended_at, task_id, number`
	sqlFindTry   = sqlSelectTries + ` AND task_id = $2 AND number = $3`
)

const tryColumns = `attempt_id BIGINT, task_id BIGINT, number INTEGER, full_name TEXT, agent_id TEXT, ready_at BIGINT, claimed_at BIGINT,
started_at BIGINT, ended_at BIGINT, exit_kind TEXT, last_lines TEXT`

func (t *tx) InsertTries(ctx context.Context, tries []trowel.Try) error {
	err := t.attemptsExist(ctx, len(tries), func(i int) trowel.AttemptID { return tries[i].AttemptID })
	if err != nil {
		return fmt.Errorf("insert %d tries: %w", len(tries), err)
	}
	err = t.bulk(ctx, bulk{table: "task_try", columns: tryColumns}, len(tries), func(v *values, i int) {
		row := &tries[i]
		v.number(int64(row.AttemptID))
		v.number(int64(row.TaskID))
		v.number(int64(row.Number))
		v.name(row.FullName)
		v.text(row.AgentID)
		v.instant(row.ReadyAt)
		v.instant(row.ClaimedAt)
		v.instant(row.StartedAt)
		v.instant(row.EndedAt)
		v.name(row.Exit)
		v.lines(row.LastLines)
	})
	if err != nil {
		return fmt.Errorf("insert %d tries: %w", len(tries), err)
	}
	return nil
}

func (t *tx) ListTries(ctx context.Context, attempt trowel.AttemptID) ([]trowel.Try, error) {
	list, err := t.tries(ctx, sqlListTries, attempt)
	if err != nil {
		return nil, fmt.Errorf("list tries of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) FindTry(ctx context.Context, attempt trowel.AttemptID, try trowel.TryID) (*trowel.Try, error) {
	row, err := first(t.tries(ctx, sqlFindTry, attempt, try.Task, try.Number))
	if err != nil {
		return nil, fmt.Errorf("find try %d of task %d: %w", try.Number, try.Task, err)
	}
	return &row, nil
}

func (t *tx) tries(ctx context.Context, query string, args ...any) ([]trowel.Try, error) {
	var list []trowel.Try
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var row trowel.Try
		var agent, last sql.NullString
		var ready, claimed, started, ended sql.NullInt64
		err := scan(&row.AttemptID, &row.TaskID, &row.Number, &row.FullName, &agent, &ready, &claimed, &started, &ended, &row.Exit, &last)
		row.AgentID, row.LastLines = agent.String, readLines(last)
		row.ReadyAt, row.ClaimedAt, row.StartedAt, row.EndedAt = instant(ready), instant(claimed), instant(started), instant(ended)
		list = append(list, row)
		return err
	})
	return list, err
}
