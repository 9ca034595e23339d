package stream

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/events"
)

// newerRows is the largest number of tasks that are read after changes by another server. With more, the client must read
// everything again.
const newerRows = 10_000

// changes are those of an attempt that a stream has missed, since another server has made them.
type changes struct {
	attempt *trowel.AttemptSummary // nil if it does not exist any more
	rows    map[trowel.TaskID]*events.TaskRow
	tooMany bool // more than newerRows
}

// read reads the tasks that changed after a version of their attempt.
func (n *changes) read(ctx context.Context, tx trowel.Tx, id trowel.AttemptID, version int64) error {
	*n = changes{}
	summary, err := tx.FindAttemptSummary(ctx, id)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	n.attempt = summary
	if summary.Attempt.Version <= version {
		return nil
	}
	changed, err := changedTasks(ctx, tx, &summary.Attempt, version)
	if err != nil {
		return err
	}
	if n.tooMany = len(changed) > newerRows; n.tooMany {
		return nil
	}
	n.rows = make(map[trowel.TaskID]*events.TaskRow, len(changed))
	for i := range changed {
		n.rows[changed[i].ID] = changedRow(&changed[i])
	}
	return nil
}

// changedTasks reads at most newerRows+1 tasks, from the archive if the attempt has ended.
func changedTasks(ctx context.Context, tx trowel.Tx, a *trowel.Attempt, version int64) ([]trowel.ChangedTask, error) {
	if a.Flags&trowel.AttemptDone == 0 {
		return tx.ListChanged(ctx, a.ID, version, newerRows+1)
	}
	archived, err := tx.ListArchivedTasks(ctx, a.ID)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil, nil // an attempt of a backfill that never had tasks
	}
	var list []trowel.ChangedTask
	for _, t := range archived {
		if t.Version > version && len(list) <= newerRows {
			list = append(list, trowel.ChangedTask{
				ID: t.ID, ParentID: t.ParentID, State: t.State, Try: t.Try, WaitReason: t.WaitReason,
				StartedAt: t.StartedAt, UpdatedAt: t.UpdatedAt, Version: t.Version,
			})
		}
	}
	return list, err
}

func changedRow(t *trowel.ChangedTask) *events.TaskRow {
	row := &events.TaskRow{
		ID: t.ID, ParentID: t.ParentID, State: t.State, Try: t.Try, StartedAt: t.StartedAt,
		Reason: string(t.WaitReason), Version: t.Version,
	}
	if t.State.Done() {
		row.FinishedAt = t.UpdatedAt
	}
	return row
}
