package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// S40: an attempt of a backfill waits until all attempts of the session before it have ended.
func testDelayed(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	before, retry := newAttempt(t, db, s, ""), newAttempt(t, db, s, "retry")
	s.Session = trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: time.Unix(0, 0).UTC(), UUID: "u"}
	first, second, early := newAttempt(t, db, s, ""), newAttempt(t, db, s, "2"), newAttempt(t, db, s, "3")
	delayed := []trowel.QueuedBackfillAttempt{
		{AttemptID: first.ID, NextRunAt: at(10)},
		{AttemptID: second.ID, DependsOn: before.SessionID, NextRunAt: at(10)},
		{AttemptID: early.ID, NextRunAt: at(12)},
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for i := range delayed {
			if err := tx.InsertQueuedBackfillAttempt(ctx, &delayed[2-i]); err != nil {
				return err
			}
		}
		return nil
	})
	ready := func(now int64, limit int, want ...trowel.QueuedBackfillAttempt) {
		t.Helper()
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListDueBackfillAttempts(ctx, at(now), limit)
			equal(t, "ListReadyDelayed", got, want)
			return err
		})
	}
	end := func(a *trowel.Attempt) {
		t.Helper()
		a.Flags, a.FinishedAt = trowel.AttemptDone, at(9)
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, a) })
	}
	ready(9, 10)
	ready(10, 10, delayed[0])
	ready(12, 10, delayed[0], delayed[2])
	end(before)
	ready(10, 10, delayed[0])
	end(retry)
	ready(10, 10, delayed[0], delayed[1])
	ready(12, 2, delayed[0], delayed[1])
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindQueuedBackfillAttempt(ctx, second.ID)
		equal(t, "FindDelayed", got, &delayed[1])
		_, errUnknown := tx.FindQueuedBackfillAttempt(ctx, before.ID)
		wantNotFound(t, map[string]error{"FindDelayed of one that does not wait": errUnknown})
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteQueuedBackfillAttempt(ctx, second.ID), tx.DeleteQueuedBackfillAttempt(ctx, second.ID))
	})
	ready(10, 10, delayed[0])
}
