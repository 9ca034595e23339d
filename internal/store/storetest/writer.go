package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A new database is one that this build may write.
func testWriters(t *testing.T, db trowel.Store) {
	var found, shared trowel.Writers
	update(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		if found, err = tx.FindWriters(ctx); err == nil {
			_, shared, err = tx.ShareLimits(ctx)
		}
		return err
	})
	equal(t, "who may write, as shared", shared, found)
	if err := found.Check(); err != nil {
		t.Errorf("Check of %+v: %v", found, err)
	}
}

// Raised tests what holds once a migration has raised the generation of those who write above that of this build: the
// database can be read and written, and nobody can claim. raise is the program that does so with a statement.
func Raised(t *testing.T, db trowel.Store, raise func(statement string)) {
	t.Helper()
	var version int64
	update(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		version, _, err = tx.ShareLimits(ctx)
		return err
	})
	raise("UPDATE writer SET lowest = 7, since = '0.7.0'")
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		found, err := tx.FindWriters(ctx)
		equal(t, "FindWriters", found, trowel.Writers{Lowest: 7, Since: "0.7.0"})
		same, shared, errShare := tx.ShareLimits(ctx)
		equal(t, "who may write, as shared", shared, found)
		equal(t, "version of the limits", same, version)
		if err := found.Check(); !errors.Is(err, trowel.ErrOutdated) {
			t.Errorf("Check of %+v = %v, want an ErrOutdated", found, err)
		}
		return errors.Join(err, errShare)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.CheckLimitsVersion(ctx, version) })
}
