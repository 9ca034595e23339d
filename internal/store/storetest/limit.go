package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func listUses(t *testing.T, db trowel.Store) (uses map[string]int) {
	t.Helper()
	view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		uses, err = tx.ListCounters(ctx)
		return err
	})
	return uses
}

// addUses locks counters and changes them.
func addUses(ctx context.Context, tx trowel.Tx, changes map[string]int) (map[string]int, error) {
	var names []string
	for name := range changes {
		names = append(names, name)
	}
	_, _, errShare := tx.ShareLimits(ctx)
	before, errLock := tx.LockCounters(ctx, names)
	return before, errors.Join(errShare, errLock, tx.AddToCounters(ctx, changes))
}

// Counters that are not stored are zero, and many can change at once. Changing one without a lock is a
// conflict.
func testUses(t *testing.T, db trowel.Store) {
	many := map[string]int{"new:1": 1} // of a kind that nobody knows
	for i := range 150 {
		many[fmt.Sprintf("concurrency:site:%d", i)] = i
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		before, err := addUses(ctx, tx, map[string]int{"pool:1": 3, "concurrency:site:k\u00e4": 1, "attempts:1/w": 0})
		equal(t, "LockUses at the beginning", before, map[string]int{"pool:1": 0, "concurrency:site:k\u00e4": 0, "attempts:1/w": 0})
		_, errMany := addUses(ctx, tx, many)
		none, errNone := tx.LockCounters(ctx, nil)
		equal(t, "LockUses of none", none, map[string]int{})
		return errors.Join(err, errMany, errNone, tx.AddToCounters(ctx, nil))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		before, err := tx.LockCounters(ctx, []string{"pool:1", "pool:2", "pool:1"})
		equal(t, "LockUses later", before, map[string]int{"pool:1": 3, "pool:2": 0})
		back := map[string]int{}
		for name, n := range many {
			back[name] = -n
		}
		_, errBack := addUses(ctx, tx, back)
		return errors.Join(err, tx.AddToCounters(ctx, map[string]int{"pool:1": -1}), errBack)
	})
	equal(t, "ListUses", listUses(t, db), map[string]int{"pool:1": 2, "concurrency:site:k\u00e4": 1})
	for _, deleted := range []string{"concurrency:site:7", "new:1"} { // when they were zero
		refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
			return tx.AddToCounters(ctx, map[string]int{"pool:1": 1, deleted: 1})
		})
	}
	equal(t, "ListUses after a conflict", listUses(t, db), map[string]int{"pool:1": 2, "concurrency:site:k\u00e4": 1})
}

// Counters are recounted from what running, waiting and planned tasks hold. A running task that holds no slot
// of a pool counts for the default pool if that has a limit, whatever else it holds.
func testRecounts(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	task := func(id trowel.TaskID, state trowel.TaskState, holds trowel.Acquired) *trowel.Task {
		row := newTask(a, id)
		row.State, row.Acquired = state, holds
		return row
	}
	insertTasks(t, db,
		task(1, trowel.TaskPlanned, nil), task(2, trowel.TaskRunning, nil), task(3, trowel.TaskRunning, nil), task(4, trowel.TaskReady, nil),
		task(5, trowel.TaskRunning, trowel.Acquired{"pool:7": 2, "concurrency:site:k": 1}),
		task(6, trowel.TaskRunning, trowel.Acquired{"pool:7": 2, "concurrency:site:k": 1}),
		task(7, trowel.TaskRetryWaiting, trowel.Acquired{"concurrency:site:k": 1}), task(8, trowel.TaskRunning, trowel.Acquired{"tasks:1/v": 1}),
		task(9, trowel.TaskPlanned, trowel.Acquired{"concurrency:site:k": 1}))
	want := map[string]int{"pool:7": 4, "concurrency:site:k": 4, "tasks:1/v": 1}
	recount := func(want, wrong map[string]int) {
		t.Helper()
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			err := tx.LockLimits(ctx)
			counted, errCount := tx.CountAcquired(ctx)
			equal(t, "CountHolds", counted, want)
			before, _, errBefore := tx.ShareLimits(ctx)
			errExpect := tx.CheckLimitsVersion(ctx, before)
			changed, errRecount := tx.RecountCounters(ctx)
			equal(t, "RecountUses", changed, wrong)
			after, _, errAfter := tx.ShareLimits(ctx)
			equal(t, "growth of the version", after-before, int64(1))
			return errors.Join(err, errCount, errBefore, errExpect, errRecount, errAfter)
		})
		refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.CheckLimitsVersion(ctx, 0) })
		equal(t, "ListUses", listUses(t, db), want)
	}
	recount(want, want)
	recount(want, map[string]int{})
	pool := listPools(t, db)[0]
	pool.Slots = 10
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := addUses(ctx, tx, map[string]int{"tasks:1/w": 5, "pool:7": 1})
		return errors.Join(err, tx.UpdatePool(ctx, pool))
	})
	want[pool.Counter()] = 3
	recount(want, map[string]int{"tasks:1/w": -5, "pool:7": -1, pool.Counter(): 3})
}

// Transactions that lock the same counters in any order, while others recount, lose nothing and do not deadlock.
func testParallelUses(t *testing.T, db trowel.Store) {
	names := []string{"pool:1", "concurrency:site:k", "concurrency:site:m", "tasks:1/w"}
	parallel(t, writers, func(i int) error {
		order := slices.Clone(names)
		if i%2 == 0 {
			slices.Reverse(order)
		}
		for n := range writes {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				if i == 0 {
					return errors.Join(tx.LockLimits(t.Context()), tx.Notify(t.Context(), "pools"))
				}
				before, err := addUses(t.Context(), tx, map[string]int{order[n%4]: 1, order[(n+1)%4]: 1})
				if err != nil {
					return err
				}
				if before[order[n%4]] != 0 {
					return fmt.Errorf("counters %v while nobody else has them, want zero", before)
				}
				return tx.AddToCounters(t.Context(), map[string]int{order[n%4]: -1, order[(n+1)%4]: -1})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	equal(t, "ListUses", listUses(t, db), map[string]int{})
}
