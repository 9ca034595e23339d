package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const taskColumns = `id, attempt_id, parent_id, full_name, is_group, local_config, export_config, origin, upstreams, resuming_task_id,
state, flags, round, parent_round, try, retry_count, retry_at, wait_reason, state_params,
subtask_config, export_params, reset_keys, store_params, error,
ready_at, claimed_at, started_at, updated_at, agent_id, needs, holds, losses, masked, version`

const (
	sqlReserveIDsSQLite = `INSERT INTO id_block (noun, next_id) VALUES ($1, 1 + CAST($2 AS BIGINT))
ON CONFLICT (noun) DO UPDATE SET next_id = id_block.next_id + $2 RETURNING next_id - $2`
	// A sequence needs no lock until the end of the transaction. Each of its values is a block of ids.
	sqlReserveBlocksPostgres = `SELECT min(block), max(block) FROM (SELECT nextval('task_id') AS block FROM generate_series(1, $1)) AS taken`
	sqlListTasks             = `SELECT ` + taskColumns + ` FROM task WHERE attempt_id = $1 AND version > $2 ORDER BY id`
)

// Columns in the order in which addNew, addOld and addDetail write them. New tasks that were not
// resumed need only newColumns. detailColumns are what runs leave behind.
const (
	newColumns = `id BIGINT, attempt_id BIGINT, parent_id BIGINT, full_name TEXT, is_group BOOLEAN, local_config TEXT, export_config TEXT,
origin TEXT, upstreams TEXT, parent_round INTEGER, try INTEGER, state SMALLINT, flags SMALLINT, ready_at BIGINT, claimed_at BIGINT, started_at BIGINT,
updated_at BIGINT, agent_id TEXT, version BIGINT, begun BOOLEAN`
	oldColumns    = `resuming_task_id BIGINT, round INTEGER`
	detailColumns = `retry_count INTEGER, retry_at BIGINT, wait_reason TEXT, state_params TEXT, subtask_config TEXT, export_params TEXT,
reset_keys TEXT, store_params TEXT, error TEXT, needs TEXT, holds TEXT, losses INTEGER, masked TEXT`
)

// taskIDBlock is how many task ids one value of the sequence task_id stands for, beginning with that value.
const taskIDBlock = 1000

func (t *tx) ReserveTaskIDs(ctx context.Context, n int) (trowel.TaskID, error) {
	reserve := t.reserveIDs
	if t.dialect.TaskIDs {
		reserve = t.reserveBlocks
	}
	first, err := reserve(ctx, n)
	if err != nil {
		return 0, fmt.Errorf("reserve %d task ids: %w", n, err)
	}
	return first, nil
}

func (t *tx) reserveIDs(ctx context.Context, n int) (first trowel.TaskID, err error) {
	err = t.row(ctx, sqlReserveIDsSQLite, []any{"task", n}, &first)
	return first, err
}

// reserveBlocks takes consecutive blocks. Another transaction may have taken one in between. Then the blocks before it
// are left unused, and as many are taken again.
func (t *tx) reserveBlocks(ctx context.Context, n int) (first trowel.TaskID, err error) {
	blocks := max(1, (n+taskIDBlock-1)/taskIDBlock)
	for {
		var last trowel.TaskID
		if err := t.row(ctx, sqlReserveBlocksPostgres, []any{blocks}, &first, &last); err != nil {
			return 0, err
		}
		if last-first == trowel.TaskID(blocks-1)*taskIDBlock {
			return first, nil
		}
	}
}

func (t *tx) InsertTasks(ctx context.Context, tasks []*trowel.Task) error {
	fresh := make([]*trowel.Task, 0, len(tasks))
	var full []*trowel.Task
	for _, row := range tasks {
		if isFresh(row) {
			fresh = append(fresh, row)
			continue
		}
		full = append(full, row)
	}
	err := t.attemptsExist(ctx, len(tasks), func(i int) trowel.AttemptID { return tasks[i].AttemptID })
	if err == nil {
		err = t.bulk(ctx, bulk{table: "task", columns: newColumns}, len(fresh), func(v *values, i int) { addNew(v, fresh[i]) })
	}
	if err == nil {
		every := bulk{table: "task", columns: newColumns + ", " + oldColumns + ", " + detailColumns}
		err = t.bulk(ctx, every, len(full), func(v *values, i int) {
			addNew(v, full[i])
			addOld(v, full[i])
			addDetail(v, full[i])
		})
	}
	if err != nil {
		return fmt.Errorf("insert %d tasks: %w", len(tasks), err)
	}
	return nil
}

// isFresh reports whether newColumns have all that there is to a task.
func isFresh(row *trowel.Task) bool {
	return row.ResumingID == 0 && row.Round == 0 && row.RetryCount == 0 && row.RetryAt.IsZero() && row.WaitReason == "" &&
		row.StateParams.Len() == 0 && row.Result.Empty() && row.Error.Len() == 0 && row.Requirements == nil && row.Acquired == nil && row.Losses == 0 && len(row.Masked) == 0
}

func addNew(v *values, row *trowel.Task) {
	v.number(int64(row.ID))
	v.number(int64(row.AttemptID))
	v.id(int64(row.ParentID))
	v.name(row.FullName)
	v.bool(row.Group)
	v.object(row.Local)
	v.object(row.Export)
	v.text(row.Origin.Text())
	v.text(idText(row.Upstreams))
	v.number(int64(row.ParentRound))
	v.number(int64(row.Try))
	v.number(int64(row.State))
	v.number(int64(row.Flags))
	v.instant(row.ReadyAt)
	v.instant(row.ClaimedAt)
	v.instant(row.StartedAt)
	v.number(row.UpdatedAt.UnixMicro())
	v.text(row.AgentID)
	v.number(row.Version)
	v.bool(begun(row))
}

// begun reports whether a task that was blocked, or is inserted, has begun, so that something other than being unblocked
// can happen to it. It stays begun from then on.
func begun(row *trowel.Task) bool {
	return !row.State.Done() && (row.State != trowel.TaskBlocked || row.WaitReason != "")
}

func addOld(v *values, row *trowel.Task) {
	v.id(int64(row.ResumingID))
	v.number(int64(row.Round))
}

func addDetail(v *values, row *trowel.Task) {
	v.number(int64(row.RetryCount))
	v.instant(row.RetryAt)
	v.text(string(row.WaitReason))
	v.object(row.StateParams)
	v.object(row.Result.Subtasks)
	v.object(row.Result.Export)
	v.lines(row.Result.ResetKeys)
	v.object(row.Result.Store)
	v.object(row.Error)
	v.needs(row.Requirements)
	v.holds(row.Acquired)
	v.number(int64(row.Losses))
	v.lines(row.Masked)
}

func (t *tx) ListTasks(ctx context.Context, attempt trowel.AttemptID, newerThan int64) ([]*trowel.Task, error) {
	var list []*trowel.Task
	read := newTaskReader()
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

// taskReader reads the rows of a list. Equal lists of upstreams share one slice, equal needs one value, and the texts that
// many tasks have one string.
type taskReader struct {
	lists map[string][]trowel.TaskID
	needs needsReader
	texts map[string]string
}

func newTaskReader() taskReader {
	return taskReader{lists: map[string][]trowel.TaskID{}, needs: needsReader{}, texts: map[string]string{}}
}

// shared returns the first text that was equal to this one.
func (r *taskReader) shared(text string) string {
	if first, known := r.texts[text]; known {
		return first
	}
	r.texts[text] = text
	return text
}

func (r *taskReader) scan(scan func(...any) error) (*trowel.Task, error) {
	row := &trowel.Task{}
	var parent, resuming, retryAt, ready, claimed, started, updated sql.NullInt64
	var local, export, origin, upstreams, wait, params, subtasks, exports, resets, stores, failure, agent, needs, holds, masked sql.NullString
	err := scan(&row.ID, &row.AttemptID, &parent, &row.FullName, &row.Group, &local, &export, &origin, &upstreams, &resuming,
		&row.State, &row.Flags, &row.Round, &row.ParentRound, &row.Try, &row.RetryCount, &retryAt, &wait, &params,
		&subtasks, &exports, &resets, &stores, &failure,
		&ready, &claimed, &started, &updated, &agent, &needs, &holds, &row.Losses, &masked, &row.Version)
	if err != nil {
		return nil, err
	}
	row.ParentID, row.ResumingID = trowel.TaskID(parent.Int64), trowel.TaskID(resuming.Int64)
	row.Origin = trowel.ParseOrigin(origin.String)
	row.RetryAt, row.ReadyAt, row.ClaimedAt = instant(retryAt), instant(ready), instant(claimed)
	row.StartedAt, row.UpdatedAt = instant(started), instant(updated)
	row.WaitReason, row.AgentID, row.Result.ResetKeys = trowel.WaitCode(r.shared(wait.String)), r.shared(agent.String), readLines(resets)
	row.Masked = readLines(masked)
	if row.Upstreams, err = r.ids(upstreams.String); err != nil {
		return nil, err
	}
	if row.Requirements, err = r.needs.read(needs); err != nil {
		return nil, err
	}
	if err := readJSON(holds, &row.Acquired); err != nil {
		return nil, err
	}
	return row, readObjects([]objectColumn{
		{&row.Local, &local},
		{&row.Export, &export},
		{&row.StateParams, &params},
		{&row.Result.Subtasks, &subtasks},
		{&row.Result.Export, &exports},
		{&row.Result.Store, &stores},
		{&row.Error, &failure},
	})
}

// objectColumn is a JSON column and the field that it is read into.
type objectColumn struct {
	to   **param.Map
	text *sql.NullString
}

// readObjects reads JSON columns. A field whose column is NULL stays nil: of a task that waits, five of seven are, and
// servers have many of these in memory.
func readObjects(columns []objectColumn) error {
	for _, c := range columns {
		if !c.text.Valid {
			continue
		}
		m, err := readObject(*c.text)
		if err != nil {
			return err
		}
		*c.to = m
	}
	return nil
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

func idText(ids []trowel.TaskID) string {
	text := make([]byte, 0, len(ids)*8)
	for i, id := range ids {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(id), 10)
	}
	return string(text)
}
