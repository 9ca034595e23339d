package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// This file alone writes the state of tasks, and always from an expected state.

// moveColumns are what a change of state changes; stateKeys find the task in its expected state.
const (
	moveColumns = `state SMALLINT, flags SMALLINT, round INTEGER, try INTEGER, ready_at BIGINT, claimed_at BIGINT, started_at BIGINT,
updated_at BIGINT, agent_id TEXT, version BIGINT`
	stateKeys = `id BIGINT, state SMALLINT`
)

func (t *tx) UpdateTasks(ctx context.Context, updates []trowel.TaskUpdate) error {
	moves := make([]trowel.TaskUpdate, 0, len(updates))
	var ends []trowel.TaskUpdate
	for _, u := range updates {
		if u.Detail {
			ends = append(ends, u)
			continue
		}
		moves = append(moves, u)
	}
	move := bulk{table: "task", columns: moveColumns, keys: stateKeys}
	moved, err := t.bulk(ctx, move, len(moves), func(v *values, i int) {
		addMove(v, moves[i].Task)
		addExpected(v, moves[i])
	})
	if err != nil {
		return fmt.Errorf("move %d tasks: %w", len(moves), err)
	}
	end := bulk{table: "task", columns: moveColumns + ", " + detailColumns, keys: stateKeys}
	ended, err := t.bulk(ctx, end, len(ends), func(v *values, i int) {
		addMove(v, ends[i].Task)
		addDetail(v, ends[i].Task)
		addExpected(v, ends[i])
	})
	if err != nil {
		return fmt.Errorf("end %d tasks: %w", len(ends), err)
	}
	if missed := int64(len(updates)) - moved - ended; missed != 0 {
		return fmt.Errorf("%w: %d of %d tasks were not in the expected state", trowel.ErrConflict, missed, len(updates))
	}
	return nil
}

func addMove(v *values, row *trowel.Task) {
	v.number(int64(row.State))
	v.number(int64(row.Flags))
	v.number(int64(row.Round))
	v.number(int64(row.Try))
	v.instant(row.ReadyAt)
	v.instant(row.ClaimedAt)
	v.instant(row.StartedAt)
	v.number(row.UpdatedAt.UnixMicro())
	v.text(row.AgentID)
	v.number(row.Version)
}

func addExpected(v *values, u trowel.TaskUpdate) {
	v.number(int64(u.Task.ID))
	v.number(int64(u.From))
}
