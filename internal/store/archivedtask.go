package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	// A part begins with the id of its first task.
	sqlListArchiveHeads = `SELECT part, substr(tasks, 1, 40) FROM task_archive WHERE attempt_id = $1 ORDER BY part`
	sqlFindArchivePart  = `SELECT tasks FROM task_archive WHERE attempt_id = $1 AND part = $2`
)

// archiveHead is where the tasks of a part of an archive begin.
type archiveHead struct {
	part  int
	first trowel.TaskID
}

func (t *tx) FindArchivedTasks(ctx context.Context, attempt trowel.AttemptID, ids []trowel.TaskID) ([]*trowel.Task, error) {
	var tasks []*trowel.Task
	heads, err := t.archiveHeads(ctx, attempt)
	wanted := map[int][]trowel.TaskID{}
	for _, id := range ids {
		at, found := slices.BinarySearchFunc(heads, id, func(h archiveHead, id trowel.TaskID) int { return int(h.first - id) })
		if !found {
			at--
		}
		if at >= 0 {
			wanted[heads[at].part] = append(wanted[heads[at].part], id)
		}
	}
	for _, h := range heads {
		if err == nil && len(wanted[h.part]) > 0 {
			var some []*trowel.Task
			some, err = t.archivedAmong(ctx, attempt, h.part, wanted[h.part])
			tasks = append(tasks, some...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find archived tasks of attempt %d: %w", attempt, err)
	}
	return tasks, nil
}

// archiveHeads returns the parts of an archive in order.
func (t *tx) archiveHeads(ctx context.Context, attempt trowel.AttemptID) (heads []archiveHead, err error) {
	err = t.rows(ctx, sqlListArchiveHeads, []any{attempt}, func(scan func(...any) error) error {
		var h archiveHead
		var head string
		if err := scan(&h.part, &head); err != nil {
			return err
		}
		digits, found := strings.CutPrefix(head, `[{"id":`)
		if !found {
			return nil // without tasks
		}
		digits, _, _ = strings.Cut(digits, ",")
		first, err := strconv.ParseInt(strings.TrimSuffix(digits, "}]"), 10, 64)
		h.first = trowel.TaskID(first)
		heads = append(heads, h)
		return err
	})
	return heads, err
}

// archivedAmong returns some tasks of a part.
func (t *tx) archivedAmong(ctx context.Context, attempt trowel.AttemptID, part int, ids []trowel.TaskID) (tasks []*trowel.Task, err error) {
	var text string
	if err := t.row(ctx, sqlFindArchivePart, []any{attempt, part}, &text); err != nil {
		return nil, err
	}
	err = param.EachItem(text, func(item string) error {
		var id int64
		err := param.EachMember(item, func(key, value string) bool {
			if key == `"id"` {
				id, _ = strconv.ParseInt(value, 10, 64) // no other task has id 0
			}
			return id == 0
		})
		if err != nil || !slices.Contains(ids, trowel.TaskID(id)) {
			return err
		}
		some, err := readArchive(attempt, "["+item+"]")
		tasks = append(tasks, some...)
		return err
	})
	return tasks, err
}
