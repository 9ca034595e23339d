package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A workflow is paused once, by name (control K816).
func testPauses(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	first := &trowel.Pause{ProjectID: s.Project.ID, Workflow: "w", At: at(1), Actor: "somebody", Note: "not \u00e4 now"}
	second := &trowel.Pause{ProjectID: s.Project.ID, Workflow: "W", At: at(2)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		err := errors.Join(tx.PutPause(ctx, first), tx.PutPause(ctx, second))
		again := tx.PutPause(ctx, &trowel.Pause{ProjectID: s.Project.ID, Workflow: "w", At: at(3)})
		if !errors.Is(again, trowel.ErrConflict) {
			t.Errorf("second pause of a workflow: %v, want a conflict", again)
		}
		return err
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		found, err := tx.FindPause(ctx, s.Project.ID, "w")
		equal(t, "FindPause", found, first)
		list, errList := tx.ListPauses(ctx)
		equal(t, "ListPauses", list, []*trowel.Pause{second, first})
		return errors.Join(err, errList)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		err := tx.DeletePause(ctx, s.Project.ID, "w")
		_, errFind := tx.FindPause(ctx, s.Project.ID, "w")
		wantNotFound(t, map[string]error{"FindPause": errFind, "DeletePause": tx.DeletePause(ctx, s.Project.ID, "w")})
		return err
	})
}

// Attempts that wait are admitted by session time, those of backfills last. They do not count as
// admitted, and neither do those of a backfill whose turn has not come (control K813).
func testWaiting(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	insert := func(workflow string, seconds int64, cause string, wait trowel.WaitCode) *trowel.Attempt {
		session := trowel.Session{ProjectID: s.Project.ID, Workflow: workflow, Time: at(seconds), UUID: "u"}
		a := &trowel.Attempt{Name: fmt.Sprint(cause, wait), WorkflowID: s.Workflow.ID, Zone: "UTC", Cause: cause, WaitReason: wait, CreatedAt: at(2)}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAttempt(ctx, &session, a) })
		return a
	}
	late := insert("w", 30, "schedule", trowel.WaitAttemptsLimit)
	backfill := insert("w", 10, "backfill", trowel.WaitAttemptsLimit)
	early := insert("w", 20, "start", trowel.WaitWorkflowPaused)
	insert("x", 20, "start", trowel.WaitWorkflowPaused)
	ended := insert("y", 20, "start", trowel.WaitWorkflowPaused)
	insert("w", 40, "schedule", "")
	admitted := insert("w", 41, "schedule", "")
	delayed := insert("w", 50, "backfill", "")
	ended.FinishedAt = at(60)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.UpdateAttempts(ctx, ended), tx.InsertQueuedBackfillAttempt(ctx, &trowel.QueuedBackfillAttempt{AttemptID: delayed.ID, NextRunAt: at(1)}))
	})
	look := func(count int, waiting []trowel.AttemptID, workflows ...string) {
		t.Helper()
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			n, errCount := tx.CountAdmitted(ctx, s.Project.ID, "w")
			equal(t, "CountAdmitted", n, count)
			got, err := tx.ListWaiting(ctx, s.Project.ID, "w", 2)
			equal(t, "ListWaiting", got, waiting)
			names, errNames := tx.ListWaitingWorkflows(ctx)
			var want []trowel.WorkflowName
			for _, name := range workflows {
				want = append(want, trowel.WorkflowName{ProjectID: s.Project.ID, Name: name})
			}
			equal(t, "ListWaitingWorkflows", names, want)
			return errors.Join(errCount, err, errNames)
		})
	}
	look(2, []trowel.AttemptID{early.ID, late.ID}, "w", "x")
	early.WaitReason, late.WaitReason, admitted.FinishedAt = "", "", at(61)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, early, late, admitted) })
	look(3, []trowel.AttemptID{backfill.ID}, "w", "x")
}
