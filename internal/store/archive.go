package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	sqlInsertArchive = `INSERT INTO task_archive (attempt_id, tasks, created_at) VALUES ($1, $2, $3)`
	sqlDeleteTasks   = `DELETE FROM task WHERE attempt_id = $1`
	sqlFindArchive   = `SELECT tasks FROM task_archive WHERE attempt_id = $1`
)

func (t *tx) ArchiveTasks(ctx context.Context, attempt trowel.AttemptID, tasks []*trowel.Task, at time.Time) error {
	text := make([]byte, 0, 256*len(tasks))
	text = append(text, '[')
	for i, row := range tasks {
		if i > 0 {
			text = append(text, ',')
		}
		text = param.AppendJSON(text, archived(row))
	}
	text = append(text, ']')
	_, errInsert := t.exec(ctx, sqlInsertArchive, attempt, string(text), micros(at))
	_, errDelete := t.exec(ctx, sqlDeleteTasks, attempt)
	if err := errors.Join(errInsert, errDelete); err != nil {
		return fmt.Errorf("archive the tasks of attempt %d: %w", attempt, err)
	}
	return nil
}

func (t *tx) ListArchivedTasks(ctx context.Context, attempt trowel.AttemptID) ([]*trowel.Task, error) {
	var text string
	if err := t.row(ctx, sqlFindArchive, []any{attempt}, &text); err != nil {
		return nil, fmt.Errorf("find the archive of attempt %d: %w", attempt, err)
	}
	value, err := param.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the archive of attempt %d: %w", attempt, err)
	}
	list, _ := value.(param.List)
	tasks := make([]*trowel.Task, 0, len(list))
	for _, item := range list {
		object, _ := item.(*param.Map)
		row, err := unarchived(attempt, param.NewReader(object))
		if err != nil {
			return nil, fmt.Errorf("read the archive of attempt %d: %w", attempt, err)
		}
		tasks = append(tasks, row)
	}
	return tasks, nil
}

// archived is the JSON of a task in an archive. Absent keys are empty.
func archived(row *trowel.Task) *param.Map {
	m := param.Of("id", int64(row.ID), "fullName", row.FullName, "state", int64(row.State), "flags", int64(row.Flags))
	set := func(key string, value param.Value, present bool) {
		if present {
			m.Set(key, value)
		}
	}
	set("parentId", int64(row.ParentID), row.ParentID != 0)
	set("group", true, row.Group)
	set("local", row.Local, row.Local.Len() > 0)
	set("export", row.Export, row.Export.Len() > 0)
	set("upstreams", idList(row.Upstreams), len(row.Upstreams) > 0)
	set("round", int64(row.Round), row.Round != 0)
	set("parentRound", int64(row.ParentRound), row.ParentRound != 0)
	set("try", int64(row.Try), row.Try != 0)
	set("retryCount", int64(row.RetryCount), row.RetryCount != 0)
	set("waitReason", row.WaitReason, row.WaitReason != "")
	set("stateParams", row.StateParams, row.StateParams.Len() > 0)
	set("subtaskConfig", row.Result.Subtasks, row.Result.Subtasks.Len() > 0)
	set("exportParams", row.Result.Export, row.Result.Export.Len() > 0)
	set("resetKeys", textList(row.Result.ResetKeys), len(row.Result.ResetKeys) > 0)
	set("storeParams", row.Result.Store, row.Result.Store.Len() > 0)
	set("error", row.Error, row.Error.Len() > 0)
	set("agent", row.AgentID, row.AgentID != "")
	set("resumingTaskId", int64(row.ResumingID), row.ResumingID != 0)
	set("version", row.Version, row.Version != 0)
	for _, at := range archivedInstants(row) {
		set(at.key, at.at.UnixMicro(), !at.at.IsZero())
	}
	return m
}

type archivedInstant struct {
	key string
	at  *time.Time
}

func archivedInstants(row *trowel.Task) []archivedInstant {
	return []archivedInstant{
		{"retryAt", &row.RetryAt}, {"readyAt", &row.ReadyAt}, {"claimedAt", &row.ClaimedAt},
		{"startedAt", &row.StartedAt}, {"updatedAt", &row.UpdatedAt},
	}
}

func idList(ids []trowel.TaskID) param.List {
	list := make(param.List, len(ids))
	for i, id := range ids {
		list[i] = int64(id)
	}
	return list
}

func textList(texts []string) param.List {
	list := make(param.List, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func unarchived(attempt trowel.AttemptID, r *param.Reader) (*trowel.Task, error) {
	row := &trowel.Task{AttemptID: attempt}
	var errs []error
	number := func(key string) int64 {
		n, err := r.LongOr(key, 0)
		errs = append(errs, err)
		return n
	}
	text := func(key string) string {
		s, err := r.StringOr(key, "")
		errs = append(errs, err)
		return s
	}
	object := func(key string) *param.Map {
		m, err := r.OptMap(key)
		errs = append(errs, err)
		if m == nil {
			m = param.New()
		}
		return m
	}
	row.ID, row.ParentID, row.ResumingID = trowel.TaskID(number("id")), trowel.TaskID(number("parentId")), trowel.TaskID(number("resumingTaskId"))
	row.FullName, row.AgentID, row.WaitReason, row.Version = text("fullName"), text("agent"), text("waitReason"), number("version")
	row.State, row.Flags = trowel.TaskState(number("state")), trowel.TaskFlags(number("flags")) //nolint:gosec // written from the same types
	row.Round, row.ParentRound, row.Try, row.RetryCount = int(number("round")), int(number("parentRound")), int(number("try")), int(number("retryCount"))
	row.Local, row.Export, row.StateParams, row.Error = object("local"), object("export"), object("stateParams"), object("error")
	row.Result = trowel.Result{Subtasks: object("subtaskConfig"), Export: object("exportParams"), Store: object("storeParams")}
	group, err := r.BoolOr("group", false)
	row.Group = group
	errs = append(errs, err)
	for _, at := range archivedInstants(row) {
		if n := number(at.key); n != 0 {
			*at.at = time.UnixMicro(n).UTC()
		}
	}
	return row, errors.Join(append(errs, readLists(row, r))...)
}

func readLists(row *trowel.Task, r *param.Reader) error {
	ups, errUps := r.ListOr("upstreams", nil)
	for _, up := range ups {
		id, _ := param.AsLong(up)
		row.Upstreams = append(row.Upstreams, trowel.TaskID(id))
	}
	resets, errResets := r.ListOr("resetKeys", nil)
	for _, key := range resets {
		text, _ := param.AsString(key)
		row.Result.ResetKeys = append(row.Result.ResetKeys, text)
	}
	return errors.Join(errUps, errResets)
}
