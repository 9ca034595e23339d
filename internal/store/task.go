package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const taskColumns = `id, attempt_id, parent_id, full_name, is_group, local_config, export_config, upstreams, resuming_task_id,
state, flags, round, parent_round, try, retry_count, retry_at, wait_reason, state_params,
subtask_config, export_params, reset_keys, store_params, error,
ready_at, claimed_at, started_at, updated_at, agent_id, version`

const (
	sqlReserveIDs = `INSERT INTO id_block (noun, next_id) VALUES ($1, 1 + CAST($2 AS BIGINT))
ON CONFLICT (noun) DO UPDATE SET next_id = id_block.next_id + $2 RETURNING next_id - $2`
	sqlListTasks = `SELECT ` + taskColumns + ` FROM task WHERE attempt_id = $1 AND version > $2 ORDER BY id`
)

// bulkInsertTasks writes new rows: what an operator leaves behind cannot be there yet.
var bulkInsertTasks = bulk{
	head: `INSERT INTO task (id, attempt_id, parent_id, full_name, is_group, local_config, export_config, upstreams, resuming_task_id,
state, flags, parent_round, try, ready_at, claimed_at, started_at, updated_at, agent_id, version, subtask_config, export_params, store_params, error)`,
	types: []string{
		"BIGINT", "BIGINT", "BIGINT", "TEXT", "BOOLEAN", "TEXT", "TEXT", "TEXT", "BIGINT",
		"SMALLINT", "SMALLINT", "INTEGER", "INTEGER", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "BIGINT",
		"TEXT", "TEXT", "TEXT", "TEXT",
	},
}

func (t *tx) ReserveTaskIDs(ctx context.Context, n int) (trowel.TaskID, error) {
	var first trowel.TaskID
	if err := t.row(ctx, sqlReserveIDs, []any{"task", n}, &first); err != nil {
		return 0, fmt.Errorf("reserve %d task ids: %w", n, err)
	}
	return first, nil
}

func (t *tx) InsertTasks(ctx context.Context, tasks []*trowel.Task) error {
	_, err := bulkInsertTasks.run(ctx, t.session, len(tasks), func(args []any, i int) []any {
		row := tasks[i]
		return append(args,
			row.ID, row.AttemptID, nullID(row.ParentID), row.FullName, row.Group, object(row.Local), object(row.Export),
			idText(row.Upstreams), nullID(row.ResumingID), row.State, row.Flags, row.ParentRound, row.Try,
			micros(row.ReadyAt), micros(row.ClaimedAt), micros(row.StartedAt), micros(row.UpdatedAt), nonEmpty(row.AgentID), row.Version,
			object(row.Result.Subtasks), object(row.Result.Export), object(row.Result.Store), object(row.Error))
	})
	if err != nil {
		return fmt.Errorf("insert %d tasks: %w", len(tasks), err)
	}
	return nil
}

func (t *tx) ListTasks(ctx context.Context, attempt trowel.AttemptID, newerThan int64) ([]*trowel.Task, error) {
	var list []*trowel.Task
	read := taskReader{lists: map[string][]trowel.TaskID{}}
	err := t.rows(ctx, sqlListTasks, []any{attempt, newerThan}, func(scan func(...any) error) error {
		row, err := read.scan(scan)
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}

// taskReader reads rows of one listing. Equal lists of upstreams become one slice.
type taskReader struct{ lists map[string][]trowel.TaskID }

func (r *taskReader) scan(scan func(...any) error) (*trowel.Task, error) {
	row := &trowel.Task{}
	var parent, resuming, retryAt, ready, claimed, started, updated sql.NullInt64
	var local, export, upstreams, wait, params, subtasks, exports, resets, stores, failure, agent sql.NullString
	err := scan(&row.ID, &row.AttemptID, &parent, &row.FullName, &row.Group, &local, &export, &upstreams, &resuming,
		&row.State, &row.Flags, &row.Round, &row.ParentRound, &row.Try, &row.RetryCount, &retryAt, &wait, &params,
		&subtasks, &exports, &resets, &stores, &failure,
		&ready, &claimed, &started, &updated, &agent, &row.Version)
	if err != nil {
		return nil, err
	}
	row.ParentID, row.ResumingID = trowel.TaskID(parent.Int64), trowel.TaskID(resuming.Int64)
	row.RetryAt, row.ReadyAt, row.ClaimedAt = instant(retryAt), instant(ready), instant(claimed)
	row.StartedAt, row.UpdatedAt = instant(started), instant(updated)
	row.WaitReason, row.AgentID, row.Result.ResetKeys = wait.String, agent.String, readLines(resets)
	if row.Upstreams, err = r.ids(upstreams.String); err != nil {
		return nil, err
	}
	return row, readObjects(map[**param.Map]sql.NullString{
		&row.Local: local, &row.Export: export, &row.StateParams: params, &row.Result.Subtasks: subtasks,
		&row.Result.Export: exports, &row.Result.Store: stores, &row.Error: failure,
	})
}

func readObjects(columns map[**param.Map]sql.NullString) error {
	var errs []error
	for to, text := range columns {
		m, err := readObject(text)
		*to = m
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (r *taskReader) ids(text string) ([]trowel.TaskID, error) {
	if text == "" {
		return nil, nil
	}
	if list, ok := r.lists[text]; ok {
		return list, nil
	}
	parts := strings.Split(text, ",")
	list := make([]trowel.TaskID, len(parts))
	for i, part := range parts {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read upstreams %q: %w", text, err)
		}
		list[i] = trowel.TaskID(id)
	}
	r.lists[text] = list
	return list, nil
}

func idText(ids []trowel.TaskID) any {
	if len(ids) == 0 {
		return nil
	}
	text := make([]byte, 0, len(ids)*8)
	for i, id := range ids {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(id), 10)
	}
	return string(text)
}

func nullID(id trowel.TaskID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}
