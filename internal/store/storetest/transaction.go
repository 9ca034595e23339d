package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// An error rolls everything back and is returned as it is. The store works on.
func testAtomicity(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	failure := errors.New("of the caller")
	refuse(t, db, failure, func(ctx context.Context, tx trowel.Tx) error {
		if err := tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 1)}); err != nil {
			return err
		}
		changed := *a
		changed.Version = 99
		if err := tx.UpdateAttempts(ctx, &changed); err != nil {
			return err
		}
		return fmt.Errorf("wrapped: %w", failure)
	})
	equal(t, "tasks after a rollback", len(listTasks(t, db, a)), 0)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAttempt(ctx, a.ID)
		equal(t, "attempt after a rollback", got, a)
		return err
	})
	if err := db.View(t.Context(), func(trowel.Tx) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("View = %v, want %v", err, failure)
	}
	insertTasks(t, db, newTask(a, 1))
}

// A failed statement makes the transaction fail even if its error is ignored, as a database may
// have given up the transaction. A missing row is not a failure.
func testSwallowedErrors(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		err := tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 1)})
		_ = tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 1)})
		return err
	})
	equal(t, "tasks after a swallowed error", len(listTasks(t, db, a)), 0)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, _ = tx.FindAttempt(ctx, 999)
		return tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 1)})
	})
}

// A panic rolls back too, and leaves the store usable.
func testPanics(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	caught := func(run func(context.Context, func(trowel.Tx) error) error) (value any) {
		defer func() { value = recover() }()
		_ = run(t.Context(), func(tx trowel.Tx) error {
			_ = tx.InsertTasks(t.Context(), []*trowel.Task{newTask(a, 1)})
			panic("in the transaction")
		})
		return nil
	}
	equal(t, "panic of Update", caught(db.Update), any("in the transaction"))
	equal(t, "tasks after a panic", len(listTasks(t, db, a)), 0)
	equal(t, "panic of View", caught(db.View), any("in the transaction"))
	insertTasks(t, db, newTask(a, 1))
}

// A context that ends rolls back, its error is returned, and the store works on.
func testCancellation(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	for what, end := range map[string]int{"before": 0, "in the middle of": 1, "at the end of": 2} {
		ctx, cancel := context.WithCancel(t.Context())
		if end == 0 {
			cancel()
		}
		err := db.Update(ctx, func(tx trowel.Tx) error {
			if err := tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 1)}); err != nil {
				return err
			}
			if end == 1 {
				cancel()
			}
			if err := tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 2)}); err != nil {
				return err
			}
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Update whose context ended %s it = %v, want context canceled", what, err)
		}
		if err := db.View(ctx, func(trowel.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("View under an ended context = %v, want context canceled", err)
		}
		cancel()
		equal(t, "tasks after a cancellation", len(listTasks(t, db, a)), 0)
	}
	insertTasks(t, db, newTask(a, 1))
}

// Notifications are a part of a transaction, and Listen ends with its context, even if the
// database has no notifications.
func testNotifications(t *testing.T, db trowel.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- db.Listen(ctx, func(topic string) { equal(t, "topic", topic, "") }) }()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.Notify(ctx, "attempts"), tx.Notify(ctx, "schedules")) // a store does not hear its own
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Listen = %v, want context canceled", err)
	}
}

const (
	writers = 8
	writes  = 25
)

// Updates that read what they write do not lose each other's changes.
func testParallelUpdates(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	parallel(t, writers, func(int) error {
		for range writes {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				rows, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{a.ID})
				if err != nil {
					return err
				}
				rows[0].Version++
				return tx.UpdateAttempts(t.Context(), rows[0])
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAttempt(ctx, a.ID)
		equal(t, "version after parallel updates", got.Version, int64(writers*writes))
		return err
	})
}

// A view sees all of a transaction or nothing of it.
func testParallelViews(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	first, second := newAttempt(t, db, s, ""), newAttempt(t, db, s, "second")
	parallel(t, writers, func(i int) error {
		for n := range writes {
			var err error
			if i%2 == 0 {
				err = db.Update(t.Context(), func(tx trowel.Tx) error {
					rows, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{second.ID, first.ID})
					if err != nil {
						return err
					}
					for _, row := range rows {
						row.Version += int64(n + 1)
						if err := tx.UpdateAttempts(t.Context(), row); err != nil {
							return err
						}
					}
					return nil
				})
			} else {
				err = db.View(t.Context(), func(tx trowel.Tx) error {
					one, errOne := tx.FindAttempt(t.Context(), first.ID)
					two, errTwo := tx.FindAttempt(t.Context(), second.ID)
					if err := errors.Join(errOne, errTwo); err != nil {
						return err
					}
					if one.Version != two.Version {
						return fmt.Errorf("versions %d and %d in one view, want equal ones", one.Version, two.Version)
					}
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func testParallelIDs(t *testing.T, db trowel.Store) {
	var mu sync.Mutex
	var ids []trowel.TaskID
	parallel(t, writers, func(i int) error {
		for range writes {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				first, err := tx.ReserveTaskIDs(t.Context(), i+1)
				mu.Lock()
				defer mu.Unlock()
				for n := range i + 1 {
					ids = append(ids, first+trowel.TaskID(n))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	total := len(ids)
	slices.Sort(ids)
	if unique := len(slices.Compact(ids)); unique != total {
		t.Errorf("%d of %d ids are unique", unique, total)
	}
}

// parallel runs f in n goroutines and reports their errors.
func parallel(t *testing.T, n int, f func(i int) error) {
	t.Helper()
	var running sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		running.Go(func() { errs[i] = f(i) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
