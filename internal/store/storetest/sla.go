package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// An attempt has one monitor, until it fires.
func testMonitors(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	want := &trowel.Monitor{AttemptID: a.ID, DueAt: at(9), Config: rich()}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertMonitor(ctx, want) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertMonitor(ctx, want) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertMonitor(ctx, &trowel.Monitor{AttemptID: 999, DueAt: at(9)})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindMonitor(ctx, a.ID)
		equal(t, "FindMonitor", got, want)
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteMonitor(ctx, a.ID), tx.DeleteMonitor(ctx, a.ID))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.FindMonitor(ctx, a.ID)
		wantNotFound(t, map[string]error{"FindMonitor after it has fired": err})
		return nil
	})
}
