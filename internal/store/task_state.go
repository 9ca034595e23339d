package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// This file alone writes the state of tasks, and always from an expected state.

// bulkMoveTasks writes a change of state with its flags, rounds and instants.
var bulkMoveTasks = bulk{
	head: `WITH v (id, from_state, state, flags, round, try, ready_at, claimed_at, started_at, updated_at, agent_id, version) AS (`,
	tail: `) UPDATE task SET state = v.state, flags = v.flags, round = v.round, try = v.try, ready_at = v.ready_at,
claimed_at = v.claimed_at, started_at = v.started_at, updated_at = v.updated_at, agent_id = v.agent_id, version = v.version
FROM v WHERE task.id = v.id AND task.state = v.from_state`,
	types: []string{
		"BIGINT", "SMALLINT", "SMALLINT", "SMALLINT", "INTEGER", "INTEGER", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "BIGINT",
	},
}

// bulkEndTasks writes all that can change: it ends tries.
var bulkEndTasks = bulk{
	head: `WITH v (id, from_state, state, flags, round, try, ready_at, claimed_at, started_at, updated_at, agent_id, version,
retry_count, retry_at, wait_reason, state_params, subtask_config, export_params, reset_keys, store_params, error) AS (`,
	tail: `) UPDATE task SET state = v.state, flags = v.flags, round = v.round, try = v.try, ready_at = v.ready_at,
claimed_at = v.claimed_at, started_at = v.started_at, updated_at = v.updated_at, agent_id = v.agent_id, version = v.version,
retry_count = v.retry_count, retry_at = v.retry_at, wait_reason = v.wait_reason, state_params = v.state_params,
subtask_config = v.subtask_config, export_params = v.export_params, reset_keys = v.reset_keys, store_params = v.store_params,
error = v.error
FROM v WHERE task.id = v.id AND task.state = v.from_state`,
	types: append(append([]string{}, bulkMoveTasks.types...),
		"INTEGER", "BIGINT", "TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "TEXT"),
}

func (t *tx) UpdateTasks(ctx context.Context, updates []trowel.TaskUpdate) error {
	var moves, ends []trowel.TaskUpdate
	for _, u := range updates {
		if u.Detail {
			ends = append(ends, u)
			continue
		}
		moves = append(moves, u)
	}
	moved, err := bulkMoveTasks.run(ctx, t.session, len(moves), func(args []any, i int) []any {
		return appendMove(args, moves[i])
	})
	if err != nil {
		return fmt.Errorf("move %d tasks: %w", len(moves), err)
	}
	ended, err := bulkEndTasks.run(ctx, t.session, len(ends), func(args []any, i int) []any {
		return appendEnd(appendMove(args, ends[i]), ends[i].Task)
	})
	if err != nil {
		return fmt.Errorf("end %d tasks: %w", len(ends), err)
	}
	if missed := int64(len(updates)) - moved - ended; missed != 0 {
		return fmt.Errorf("%w: %d of %d tasks were not in the expected state", trowel.ErrConflict, missed, len(updates))
	}
	return nil
}

func appendMove(args []any, u trowel.TaskUpdate) []any {
	row := u.Task
	return append(args, row.ID, u.From, row.State, row.Flags, row.Round, row.Try,
		micros(row.ReadyAt), micros(row.ClaimedAt), micros(row.StartedAt), micros(row.UpdatedAt), nonEmpty(row.AgentID), row.Version)
}

func appendEnd(args []any, row *trowel.Task) []any {
	return append(args, row.RetryCount, micros(row.RetryAt), nonEmpty(row.WaitReason), object(row.StateParams),
		object(row.Result.Subtasks), object(row.Result.Export), lines(row.Result.ResetKeys), object(row.Result.Store), object(row.Error))
}
