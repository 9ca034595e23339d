package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// This file alone writes the states of tasks, and always from an expected state.

// moveColumns are the columns that a change of state changes, and endColumns those of them that the end of a try
// changes. begunColumns are those that a blocked task changes in addition. stateKeys find the task in its expected state.
const (
	moveColumns = `state SMALLINT, flags SMALLINT, round INTEGER, try INTEGER, ready_at BIGINT, claimed_at BIGINT, started_at BIGINT,
updated_at BIGINT, agent_id TEXT, version BIGINT`
	endColumns   = `state SMALLINT, flags SMALLINT, updated_at BIGINT, version BIGINT`
	begunColumns = `begun BOOLEAN`
	stateKeys    = `attempt_id BIGINT, id BIGINT, state SMALLINT`
)

// changes are updates that one statement can make. A statement that does not name the columns of an index does
// not have to maintain it.
type changes struct {
	blocked, detail, ended bool
	updates                []trowel.TaskUpdate
}

// has reports whether an update is one of these.
func (c *changes) has(u *trowel.TaskUpdate) bool {
	blocked := u.From == trowel.TaskBlocked
	return c.blocked == blocked && c.detail == u.Detail && c.ended == (u.Ended && !blocked && !u.Detail)
}

func (t *tx) UpdateTasks(ctx context.Context, updates []trowel.TaskUpdate) error {
	kinds := [...]changes{{ended: true}, {}, {detail: true}, {blocked: true}, {blocked: true, detail: true}}
	for i := range kinds {
		c := &kinds[i]
		for j := range updates {
			if c.has(&updates[j]) {
				c.updates = append(c.updates, updates[j])
			}
		}
		err := t.bulkAll(ctx, c.statement(), len(c.updates), c.fill, func(rows int64) error {
			return fmt.Errorf("%w: %d of %d tasks were not in the expected state", trowel.ErrConflict, rows, len(c.updates))
		})
		if err != nil {
			return fmt.Errorf("move %d tasks: %w", len(c.updates), err)
		}
	}
	return nil
}

func (c *changes) statement() bulk {
	switch {
	case c.blocked && c.detail:
		return bulk{table: "task", columns: moveColumns + ", " + begunColumns + ", " + detailColumns, keys: stateKeys}
	case c.blocked:
		return bulk{table: "task", columns: moveColumns + ", " + begunColumns, keys: stateKeys}
	case c.detail:
		return bulk{table: "task", columns: moveColumns + ", " + detailColumns, keys: stateKeys}
	case c.ended:
		return bulk{table: "task", columns: endColumns, keys: stateKeys}
	}
	return bulk{table: "task", columns: moveColumns, keys: stateKeys}
}

func (c *changes) fill(v *values, i int) {
	u := &c.updates[i]
	if c.ended {
		addEnd(v, u.Task)
	} else {
		addMove(v, u.Task)
	}
	if c.blocked {
		v.bool(begun(u.Task))
	}
	if c.detail {
		addDetail(v, u.Task)
	}
	v.number(int64(u.Task.AttemptID))
	v.number(int64(u.Task.ID))
	v.number(int64(u.From))
}

func addEnd(v *values, row *trowel.Task) {
	v.number(int64(row.State))
	v.number(int64(row.Flags))
	v.number(row.UpdatedAt.UnixMicro())
	v.number(row.Version)
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
