package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Samples of pools are summed up by steps. If several servers take one at the same time, one counts. Idle pools have zeros.
func testPoolUses(t *testing.T, db trowel.Store) {
	begin := time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC)
	sample := func(after time.Duration, counts bool, uses ...trowel.PoolUsage) {
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			added, err := tx.AddPoolUsage(ctx, begin.Add(after), 20*time.Second, uses)
			equal(t, "AddPoolUses", added, counts)
			return err
		})
	}
	sample(0, true, trowel.PoolUsage{Pool: 8, Slots: 4, Used: 3, Waiting: 9}, trowel.PoolUsage{Pool: 7, Slots: -1, Used: 1})
	sample(10*time.Second, false, trowel.PoolUsage{Pool: 8, Slots: 4, Used: 4})
	sample(30*time.Second, true, trowel.PoolUsage{Pool: 8, Slots: 5, Used: 1})
	sample(time.Minute, true)
	sample(trowel.UsageStep, true, trowel.PoolUsage{Pool: 7, Slots: -1, Used: 2, Waiting: 1})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		both, err := tx.ListPoolUsage(ctx, 8, begin)
		equal(t, "ListPoolUses", both, []trowel.PoolUsage{
			{Pool: 8, At: begin, Samples: 3, Slots: 5, Used: 4, MostUsed: 3, Waiting: 9, MostWaiting: 9},
			{Pool: 8, At: begin.Add(trowel.UsageStep), Samples: 1},
		})
		second, errSecond := tx.ListPoolUsage(ctx, 7, begin.Add(time.Second))
		equal(t, "ListPoolUses since a later instant", second, []trowel.PoolUsage{
			{Pool: 7, At: begin.Add(trowel.UsageStep), Samples: 1, Slots: -1, Used: 2, MostUsed: 2, Waiting: 1, MostWaiting: 1},
		})
		last, errLast := tx.FindPoolSample(ctx)
		equal(t, "FindPoolSample", last, begin.Add(trowel.UsageStep))
		return errors.Join(err, errSecond, errLast)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.DeleteUsage(ctx, begin.Add(time.Second), begin)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		left, err := tx.ListPoolUsage(ctx, 8, begin)
		equal(t, "ListPoolUses without what was deleted", left, []trowel.PoolUsage{{Pool: 8, At: begin.Add(trowel.UsageStep), Samples: 1}})
		return err
	})
}

// Hand-offs are stored as they are, until they are deleted.
func testHandOffs(t *testing.T, db trowel.Store) {
	early := trowel.HandOffs{At: at(10), Queue: "default", Counts: map[int]int{3: 1, 80: 20}}
	late := trowel.HandOffs{At: at(20), Queue: "gpu", Counts: map[int]int{0: 5}}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertHandOffs(ctx, []trowel.HandOffs{early, late})
	})
	list := func(since int64) (found []trowel.HandOffs) {
		view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
			found, err = tx.ListHandOffs(ctx, at(since))
			return err
		})
		return found
	}
	equal(t, "ListHandOffs", list(1), []trowel.HandOffs{early, late})
	equal(t, "ListHandOffs since an instant", list(20), []trowel.HandOffs{late})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteUsage(ctx, at(1), at(20)) })
	equal(t, "ListHandOffs without what was deleted", list(1), []trowel.HandOffs{late})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		none, err := tx.FindPoolSample(ctx)
		equal(t, "FindPoolSample without any", none, time.Time{})
		return err
	})
}
