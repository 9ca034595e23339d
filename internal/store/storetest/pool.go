package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func newPool(project trowel.ProjectID, name string, slots int) *trowel.Pool {
	return &trowel.Pool{ProjectID: project, Name: name, Slots: slots, Actor: "somebody", CreatedAt: at(1), UpdatedAt: at(1)}
}

func insertPools(t *testing.T, db trowel.Store, pools ...*trowel.Pool) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for _, p := range pools {
			if err := tx.InsertPool(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func listPools(t *testing.T, db trowel.Store) (list []*trowel.Pool) {
	t.Helper()
	view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		list, err = tx.ListPools(ctx)
		return err
	})
	return list
}

// A new store has only the pool default, without limit. A name is unique on the site, and in each
// project (control K801).
func testPools(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	defaults := listPools(t, db)
	if len(defaults) != 1 || defaults[0].Name != trowel.DefaultPool || defaults[0].Slots != trowel.Unlimited || defaults[0].ProjectID != 0 {
		t.Fatalf("pools of a new store = %+v, want the default one", defaults)
	}
	etl, own, big := newPool(0, "etl", 3), newPool(s.Project.ID, "etl", 0), newPool(0, "Big", trowel.Unlimited)
	etl.Description, etl.IncludeDeferred = "d\u00e4", true
	insertPools(t, db, own, etl, big)
	equal(t, "ListPools", listPools(t, db), []*trowel.Pool{big, defaults[0], etl, own})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for _, taken := range []*trowel.Pool{newPool(0, "etl", 1), newPool(s.Project.ID, "etl", 1), newPool(0, trowel.DefaultPool, 1)} {
			if err := tx.InsertPool(ctx, taken); !errors.Is(err, trowel.ErrTaken) {
				t.Errorf("second pool %q of project %d: %v, want taken", taken.Name, taken.ProjectID, err)
			}
		}
		wantNotFound(t, map[string]error{"UpdatePool": tx.UpdatePool(ctx, &trowel.Pool{ID: 999}), "DeletePool": tx.DeletePool(ctx, 999)})
		etl.Slots, etl.Description, etl.IncludeDeferred, etl.Actor, etl.UpdatedAt = 5, "", false, "other", at(2)
		return errors.Join(tx.UpdatePool(ctx, etl), tx.DeletePool(ctx, big.ID))
	})
	equal(t, "ListPools after changes", listPools(t, db), []*trowel.Pool{defaults[0], etl, own})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertPool(ctx, newPool(999, "x", 1)) })
}
