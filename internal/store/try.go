package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlListTries = `SELECT attempt_id, task_id, number, full_name, agent_id, ready_at, claimed_at, started_at, ended_at,
exit_kind, last_lines FROM task_try WHERE attempt_id = $1 ORDER BY id`

var bulkInsertTries = bulk{
	head: `INSERT INTO task_try (attempt_id, task_id, number, full_name, agent_id, ready_at, claimed_at, started_at, ended_at,
exit_kind, last_lines)`,
	types: []string{"BIGINT", "BIGINT", "INTEGER", "TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "TEXT"},
}

func (t *tx) InsertTries(ctx context.Context, tries []trowel.Try) error {
	_, err := bulkInsertTries.run(ctx, t.session, len(tries), func(args []any, i int) []any {
		row := &tries[i]
		return append(args, row.AttemptID, row.TaskID, row.Number, row.FullName, nonEmpty(row.AgentID),
			micros(row.ReadyAt), micros(row.ClaimedAt), micros(row.StartedAt), micros(row.EndedAt), row.Exit, lines(row.LastLines))
	})
	if err != nil {
		return fmt.Errorf("insert %d tries: %w", len(tries), err)
	}
	return nil
}

func (t *tx) ListTries(ctx context.Context, attempt trowel.AttemptID) ([]trowel.Try, error) {
	var list []trowel.Try
	err := t.rows(ctx, sqlListTries, []any{attempt}, func(scan func(...any) error) error {
		var row trowel.Try
		var agent, last sql.NullString
		var ready, claimed, started, ended sql.NullInt64
		err := scan(&row.AttemptID, &row.TaskID, &row.Number, &row.FullName, &agent, &ready, &claimed, &started, &ended, &row.Exit, &last)
		row.AgentID, row.LastLines = agent.String, readLines(last)
		row.ReadyAt, row.ClaimedAt, row.StartedAt, row.EndedAt = instant(ready), instant(claimed), instant(started), instant(ended)
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tries of attempt %d: %w", attempt, err)
	}
	return list, nil
}
