package flush

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// write writes everything, with one statement for each kind of change.
func (t *txn) write(ctx context.Context) error {
	if err := t.writeAttempts(ctx); err != nil {
		return err
	}
	if err := t.changes.write(ctx, t.tx); err != nil {
		return err
	}
	return t.archive(ctx)
}

// writeAttempts writes the changed attempts. Of most of them only the version has changed, and an optimistic lock
// has written that already.
func (t *txn) writeAttempts(ctx context.Context) error {
	var changed []*trowel.Attempt
	versions := map[trowel.AttemptID]int64{}
	for _, a := range t.participants {
		if !a.part.touched {
			continue
		}
		if !a.part.bumped {
			versions[a.id] = a.tree.Attempt.Version - 1
		}
		if a.rowChanged() {
			changed, a.stored = append(changed, &a.tree.Attempt), a.tree.Attempt
		}
	}
	if err := t.tx.LockAttemptVersions(ctx, versions); err != nil {
		return err
	}
	return t.tx.UpdateAttempts(ctx, changed...)
}

// archive moves the tasks of ended attempts to the archive.
func (t *txn) archive(ctx context.Context) error {
	if len(t.changes.batch.Ended) == 0 {
		return nil
	}
	var ended []trowel.EndedTasks
	for _, a := range t.participants {
		if !a.tree.Done() {
			continue
		}
		if err := deleteExtras(ctx, t.tx, a); err != nil {
			return fmt.Errorf("end attempt %d: %w", a.id, err)
		}
		ended = append(ended, trowel.EndedTasks{AttemptID: a.id, Tasks: a.tree.List()})
	}
	return t.tx.ArchiveTasks(ctx, t.at, ended...)
}

// deleteExtras deletes what an attempt has besides its tasks, when it ends.
func deleteExtras(ctx context.Context, tx trowel.Tx, a *attempt) error {
	if a.tree.Len() == 0 { // killed while it waited for its turn
		if err := tx.DeleteQueuedBackfillAttempt(ctx, a.id); err != nil {
			return err
		}
	}
	if a.resumed {
		if err := tx.DeleteResumed(ctx, a.id); err != nil {
			return err
		}
	}
	if a.monitored {
		return tx.DeleteSLATimer(ctx, a.id)
	}
	return nil
}
