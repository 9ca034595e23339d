package storetest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// The parts of a blob come back byte by byte, also empty ones and large ones.
func testBlobs(t *testing.T, db trowel.Store) {
	parts := [][]byte{{0, 1, 255, '\n'}, bytes.Repeat([]byte("0123456789\x00\xff"), 100_000), {}}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for i, part := range parts {
			if err := tx.InsertBlobPart(ctx, "key", i, part); err != nil {
				return err
			}
		}
		return tx.InsertBlobPart(ctx, "nothing", 0, nil)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertBlobPart(ctx, "key", 1, []byte("other"))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for i, part := range parts {
			got, err := tx.FindBlobPart(ctx, "key", i)
			if err != nil || !bytes.Equal(got, part) {
				t.Errorf("part %d has %d bytes, %v, want the %d stored ones", i, len(got), err, len(part))
			}
		}
		nothing, err := tx.FindBlobPart(ctx, "nothing", 0)
		equal(t, "size of an empty blob", len(nothing), 0)
		_, errEnd := tx.FindBlobPart(ctx, "key", len(parts))
		_, errUnknown := tx.FindBlobPart(ctx, "unknown", 0)
		wantNotFound(t, map[string]error{"part after the last": errEnd, "part of an unknown blob": errUnknown})
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteBlob(ctx, "key"), tx.DeleteBlob(ctx, "unknown"))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.FindBlobPart(ctx, "key", 2)
		wantNotFound(t, map[string]error{"part of a deleted blob": err})
		_, err = tx.FindBlobPart(ctx, "nothing", 0)
		return err
	})
}

// Keys are listed once each, in the order of their bytes.
func testBlobLists(t *testing.T, db trowel.Store) {
	keys := []string{"B", "a", "a-", "a/", "a/1", "a/2", "a/\u00e4", "a0", "a_", "b"}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for _, i := range []int{9, 3, 1, 8, 0, 2, 7, 4, 6, 5} {
			for part := range 2 {
				if err := tx.InsertBlobPart(ctx, keys[i], part, []byte("x")); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, row := range []struct {
		prefix, after string
		limit         int
		want          []string
	}{
		{"", "", 100, keys},
		{"", "a/", 3, keys[4:7]},
		{"a/", "", 100, keys[3:7]},
		{"a/", "a/1", 100, keys[5:7]},
		{"a/", "b", 100, nil},
		{"b/", "", 100, nil},
		{"a_", "", 100, keys[8:9]},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListBlobs(ctx, row.prefix, row.after, row.limit)
			equal(t, "ListBlobs("+row.prefix+", "+row.after+")", got, row.want)
			return err
		})
	}
}
