package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// A key has the value that was set last, unless that is too old.
func testParamValues(t *testing.T, db trowel.Store) {
	value := func(key, text string, seconds int64) trowel.ParamValue {
		return trowel.ParamValue{Key: key, Value: text, UpdatedAt: at(seconds)}
	}
	put := func(list ...trowel.ParamValue) {
		t.Helper()
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.PutParamValues(ctx, list) })
	}
	list := func(since int64, keys ...string) (got []trowel.ParamValue) {
		t.Helper()
		view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
			got, err = tx.ListParamValues(ctx, keys, at(since))
			return err
		})
		return got
	}
	put(value("a", "old", 1), value("b", "{\"x\": 1}\n\u00e4", 5), value("a", "new", 9), value("empty", "", 9))
	equal(t, "values", list(0, "b", "a", "unknown", "empty"), []trowel.ParamValue{value("b", "{\"x\": 1}\n\u00e4", 5), value("a", "new", 9), value("empty", "", 9)})
	equal(t, "values since 5", len(list(5, "a", "b")), 2)
	equal(t, "values since 6", list(6, "a", "b"), []trowel.ParamValue{value("a", "new", 9)})
	equal(t, "number of values of no keys", len(list(0)), 0)
	deleted := func(before int64, limit, want int) {
		t.Helper()
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			n, err := tx.DeleteParamValues(ctx, at(before), limit)
			equal(t, "DeleteParamValues", n, want)
			return err
		})
	}
	deleted(5, 10, 0)
	deleted(10, 2, 2)
	deleted(10, 2, 1)
	equal(t, "number of values after the deletion", len(list(0, "a", "b", "empty")), 0)
}

// Writers of the same keys in any order do not block each other for long.
func testParallelParamValues(t *testing.T, db trowel.Store) {
	var keys []string
	for i := range 10 {
		keys = append(keys, fmt.Sprintf("key%d", i))
	}
	parallel(t, writers, func(i int) error {
		order := slices.Clone(keys)
		if i%2 == 0 {
			slices.Reverse(order)
		}
		var errs []error
		for n := range writes {
			var list []trowel.ParamValue
			for _, key := range order {
				list = append(list, trowel.ParamValue{Key: key, Value: fmt.Sprint(i), UpdatedAt: at(int64(n))})
			}
			errs = append(errs, db.Update(t.Context(), func(tx trowel.Tx) error { return tx.PutParamValues(t.Context(), list) }))
		}
		return errors.Join(errs...)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListParamValues(ctx, keys, time.Unix(0, 0))
		equal(t, "number of values", len(got), len(keys))
		for _, v := range got[1:] { // each transaction wrote all keys
			equal(t, "writer of "+v.Key, v.Value, got[0].Value)
		}
		return err
	})
}
