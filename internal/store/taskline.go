package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	lineColumns = `id, parent_id, full_name, is_group, local_config, origin, upstreams, state, flags, round, parent_round, try,
wait_reason, retry_at, ready_at, claimed_at, started_at, updated_at, agent_id, resuming_task_id`

	sqlSelectLines   = `SELECT ` + lineColumns + ` FROM task`
	sqlEachTaskLine  = sqlSelectLines + ` WHERE attempt_id = $1 AND id > $2 ORDER BY id`
	sqlHasFewTasks   = `SELECT count(*) FROM (SELECT 1 FROM task WHERE attempt_id = $1 LIMIT $2) AS page`
	sqlFindLastAudit = `SELECT coalesce(max(id), 0) FROM audit WHERE attempt_id = $1`
)

// lineReader reads lines. Equal texts and lists share one memory.
type lineReader struct {
	texts map[string]string
	lists taskReader
}

func newLineReader() *lineReader {
	return &lineReader{texts: map[string]string{}, lists: taskReader{lists: map[string][]trowel.TaskID{}}}
}

// shared returns a copy of a text that is the same for all equal texts.
func (r *lineReader) shared(text string) string {
	if text == "" {
		return ""
	}
	known, ok := r.texts[text]
	if !ok {
		known = strings.Clone(text)
		r.texts[known] = known
	}
	return known
}

func (r *lineReader) scan(scan func(...any) error) (*trowel.TaskLine, error) {
	row := &trowel.TaskLine{}
	var local, origin, upstreams sql.RawBytes
	var wait, agent sql.NullString
	var parent, retry, ready, claimed, started, updated, resuming sql.NullInt64
	err := scan(&row.ID, &parent, &row.FullName, &row.Group, &local, &origin, &upstreams, &row.State, &row.Flags, &row.Round, &row.ParentRound, &row.Try,
		&wait, &retry, &ready, &claimed, &started, &updated, &agent, &resuming)
	if err != nil {
		return nil, err
	}
	row.ParentID, row.ResumingID = trowel.TaskID(parent.Int64), trowel.TaskID(resuming.Int64)
	row.WaitReason, row.AgentID = trowel.WaitCode(r.shared(wait.String)), r.shared(agent.String)
	row.RetryAt, row.ReadyAt, row.ClaimedAt = instant(retry), instant(ready), instant(claimed)
	row.StartedAt, row.UpdatedAt = instant(started), instant(updated)
	r.written(row, string(local), string(origin))
	row.Upstreams, err = r.lists.ids(string(upstreams))
	return row, err
}

// written sets what a line tells of the text of the task.
func (r *lineReader) written(row *trowel.TaskLine, local, origin string) {
	if !row.Group {
		operator, bodies := operatorOf(local)
		row.Operator, row.Bodies = r.shared(operator), bodies
	}
	row.Place = r.shared(trowel.ParseOrigin(origin).Place)
}

// operatorOf returns the name of the operator in the JSON text of a task's own keys (language L48), and how many tasks
// stand in the bodies that it may make tasks of.
func operatorOf(local string) (name string, bodies int) {
	if local == "" {
		return "", 0
	}
	typed := false
	// The text was written by this package; if it is damaged, then readers of whole tasks say so.
	_ = param.EachMember(local, func(key, value string) bool {
		switch {
		case key == `"_type"`:
			name, typed = unquoted(value), true
		case key == `"_do"`, key == `"_else_do"`:
			bodies += tasksIn(value)
		case name == "" && !typed && strings.HasSuffix(key, `>"`):
			name = unquoted(key)
			name = name[:len(name)-1]
		}
		return true
	})
	return name, bodies
}

// tasksIn counts the tasks of a body: 1 if it is an operator itself.
func tasksIn(body string) (tasks int) {
	operator := 0
	_ = param.EachMember(body, func(key, _ string) bool {
		switch {
		case strings.HasPrefix(key, `"+`):
			tasks++
		case strings.HasSuffix(key, `>"`):
			operator = 1
		}
		return true
	})
	return max(tasks, operator)
}

// unquoted returns the text of a JSON string; empty for another value.
func unquoted(value string) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; !strings.Contains(inner, `\`) {
		return inner
	}
	parsed, err := param.Parse(value)
	text, _ := parsed.(string)
	if err != nil {
		return ""
	}
	return text
}

func (t *tx) EachTaskLine(ctx context.Context, attempt trowel.AttemptID, after trowel.TaskID, f func(*trowel.TaskLine) error) error {
	read := newLineReader()
	err := t.rows(ctx, sqlEachTaskLine, []any{attempt, after}, func(scan func(...any) error) error {
		row, err := read.scan(scan)
		if err != nil {
			return err
		}
		return f(row)
	})
	if err != nil {
		return fmt.Errorf("read the lines of attempt %d: %w", attempt, err)
	}
	return nil
}

func (t *tx) FindTaskLines(ctx context.Context, attempt trowel.AttemptID, ids []trowel.TaskID) ([]*trowel.TaskLine, error) {
	var list []*trowel.TaskLine
	read := newLineReader()
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, lockedAtOnce) {
		err := t.rows(ctx, findTaskLines(len(some)), append(padded(some), attempt), func(scan func(...any) error) error {
			row, err := read.scan(scan)
			list = append(list, row)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find lines of attempt %d: %w", attempt, err)
		}
	}
	return list, nil
}

// findTaskLines returns a statement with places for the attempt and for n ids or more.
func findTaskLines(n int) string {
	return sqlSelectLines + ` WHERE id IN (` + manyPlaces(n) + `) AND attempt_id = $` + strconv.Itoa(powerOfTwo(n)+1) + ` ORDER BY id`
}

func (t *tx) EachArchivedLine(ctx context.Context, attempt trowel.AttemptID, f func(*trowel.TaskLine) error) error {
	read := newLineReader()
	found := false
	err := t.rows(ctx, sqlFindArchive, []any{attempt}, func(scan func(...any) error) error {
		found = true
		var part string
		if err := scan(&part); err != nil {
			return err
		}
		return param.EachItem(part, func(item string) error {
			row, err := read.archived(item)
			if err != nil {
				return err
			}
			return f(row)
		})
	})
	if err == nil && !found {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("read the archived lines of attempt %d: %w", attempt, err)
	}
	return nil
}

// archived reads what members.task wrote, without the parameters.
func (r *lineReader) archived(item string) (*trowel.TaskLine, error) {
	row := &trowel.TaskLine{}
	var local, origin string
	var failed error
	number := func(value string) int64 {
		n, err := strconv.ParseInt(value, 10, 64)
		failed = cmp.Or(failed, err)
		return n
	}
	at := func(value string) time.Time { return time.UnixMicro(number(value)).UTC() }
	err := param.EachMember(item, func(key, value string) bool {
		switch key {
		case `"id"`:
			row.ID = trowel.TaskID(number(value))
		case `"parentId"`:
			row.ParentID = trowel.TaskID(number(value))
		case `"fullName"`:
			row.FullName = strings.Clone(unquoted(value))
		case `"group"`:
			row.Group = true
		case `"state"`:
			row.State = trowel.TaskState(number(value)) //nolint:gosec // written from the same type
		case `"flags"`:
			row.Flags = trowel.TaskFlags(number(value)) //nolint:gosec // written from the same type
		case `"local"`:
			local = value
		case `"origin"`:
			origin = unquoted(value)
		case `"upstreams"`:
			var err error
			row.Upstreams, err = r.lists.ids(strings.Trim(value, "[]"))
			failed = cmp.Or(failed, err)
		case `"round"`:
			row.Round = int(number(value))
		case `"parentRound"`:
			row.ParentRound = int(number(value))
		case `"try"`:
			row.Try = int(number(value))
		case `"waitReason"`:
			row.WaitReason = trowel.WaitCode(r.shared(unquoted(value)))
		case `"retryAt"`:
			row.RetryAt = at(value)
		case `"readyAt"`:
			row.ReadyAt = at(value)
		case `"claimedAt"`:
			row.ClaimedAt = at(value)
		case `"startedAt"`:
			row.StartedAt = at(value)
		case `"updatedAt"`:
			row.UpdatedAt = at(value)
		case `"agent"`:
			row.AgentID = r.shared(unquoted(value))
		case `"resumingTaskId"`:
			row.ResumingID = trowel.TaskID(number(value))
		}
		return true
	})
	r.written(row, local, origin)
	return row, cmp.Or(failed, err)
}

func (t *tx) HasFewTasks(ctx context.Context, attempt trowel.AttemptID, most int) (bool, error) {
	var n int
	if err := t.row(ctx, sqlHasFewTasks, []any{attempt, most + 1}, &n); err != nil {
		return false, fmt.Errorf("count tasks of attempt %d: %w", attempt, err)
	}
	return n <= most, nil
}

func (t *tx) FindLastAudit(ctx context.Context, attempt trowel.AttemptID) (id int64, err error) {
	if err := t.row(ctx, sqlFindLastAudit, []any{attempt}, &id); err != nil {
		return 0, fmt.Errorf("find the end of the audit of attempt %d: %w", attempt, err)
	}
	return id, nil
}

func (t *tx) ListTriesAmong(ctx context.Context, attempt trowel.AttemptID, tasks []trowel.TaskID) ([]trowel.Try, error) {
	var list []trowel.Try
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(tasks))), lockedAtOnce) {
		part, err := t.tries(ctx, listTriesAmong(len(some)), append([]any{attempt}, padded(some)...)...)
		if err != nil {
			return nil, fmt.Errorf("list tries of attempt %d: %w", attempt, err)
		}
		list = append(list, part...)
	}
	return list, nil
}

// listTriesAmong returns a statement with places for the attempt and for n tasks or more.
func listTriesAmong(n int) string {
	list := make([]string, powerOfTwo(n))
	for i := range list {
		list[i] = "$" + strconv.Itoa(i+2)
	}
	return sqlSelectTries + ` AND task_id IN (` + strings.Join(list, ", ") + `) ORDER BY task_id, number`
}
