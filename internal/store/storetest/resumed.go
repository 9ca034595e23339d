package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// X69: the tasks of an earlier attempt come back as they were.
func testResumed(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	want := []*trowel.Task{fullTask(a, 7), newTask(a, 9)} // in the order of their names
	want[0].FullName, want[1].FullName = "+w+a", "+w+b"
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertResumed(ctx, a.ID, []*trowel.Task{want[1], want[0]}), tx.InsertResumed(ctx, other.ID, nil))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListResumed(ctx, a.ID)
		equal(t, "ListResumed", got, want)
		none, errNone := tx.ListResumed(ctx, other.ID)
		equal(t, "number of resumed tasks of another attempt", len(none), 0)
		return errors.Join(err, errNone)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteResumed(ctx, a.ID) })
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListResumed(ctx, a.ID)
		equal(t, "number of resumed tasks after the deletion", len(got), 0)
		return err
	})
}
