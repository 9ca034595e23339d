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
	want := &trowel.SLATimer{AttemptID: a.ID, DueAt: at(9), Config: rich()}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertSLATimer(ctx, want) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertSLATimer(ctx, want) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertSLATimer(ctx, &trowel.SLATimer{AttemptID: 999, DueAt: at(9)})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindSLATimer(ctx, a.ID)
		equal(t, "FindMonitor", got, want)
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteSLATimer(ctx, a.ID), tx.DeleteSLATimer(ctx, a.ID))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.FindSLATimer(ctx, a.ID)
		wantNotFound(t, map[string]error{"FindMonitor after it has fired": err})
		return nil
	})
}
