package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// What is stored with a value in every field comes back so, whether it was inserted or updated.
func testWholeRows(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	inserted, updated := fullAttempt(s, "inserted"), fullAttempt(s, "updated")
	inserted.FinishedAt = time.Time{} // no attempt that has ended is inserted
	// What never changes is inserted. A column that UpdateAttempts does not write belongs here, too.
	bare := &trowel.Attempt{
		Name: updated.Name, WorkflowID: updated.WorkflowID, Zone: updated.Zone, Params: updated.Params, Cause: updated.Cause, Actor: updated.Actor,
		CreatedAt: updated.CreatedAt,
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		err := errors.Join(tx.InsertAttempt(ctx, &s.Session, inserted), tx.InsertAttempt(ctx, &s.Session, bare))
		updated.ID, updated.SessionID, updated.ProjectID, updated.Index = bare.ID, bare.SessionID, bare.ProjectID, bare.Index
		return errors.Join(err, tx.UpdateAttempts(ctx, updated))
	})
	for _, want := range []*trowel.Attempt{inserted, updated} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.FindAttempt(ctx, want.ID)
			equal(t, "attempt "+want.Name, got, want)
			return err
		})
	}
	hasAll(t, "fullAttempt", *updated)
	task := fullTask(inserted, 7)
	hasAll(t, "fullTask", *task)
	hasAll(t, "fullTask, in Result", task.Result)
	hasAll(t, "fullNeeds", *fullNeeds())
	insertTasks(t, db, task)
	equal(t, "task", listTasks(t, db, inserted), []*trowel.Task{task})
}

// hasAll tells which fields of a struct that a fixture made are empty.
func hasAll(t *testing.T, fixture string, row any) {
	t.Helper()
	for field, value := range reflect.ValueOf(row).Fields() {
		if value.IsZero() {
			t.Errorf("%s of fixture.go leaves %s.%s empty: give it a value, so that all tests of the store see whether it is kept", fixture,
				reflect.TypeOf(row).Name(), field.Name)
		}
	}
}
