package pool_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/pool"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func at(seconds int64) time.Time { return time.Unix(1_700_000_000+seconds, 0).UTC() }

func by(seconds int64) trowel.AuditRecord {
	return trowel.AuditRecord{At: at(seconds), ActorKind: trowel.ActorUser, Actor: "ann", Source: trowel.SourceREST, Note: "why"}
}

// Control K801, K802: pools are made once, changed in what is given, and deleted but for the built-in one;
// each change leaves one record, and one that changes nothing, or is only tried, leaves none.
func TestPools(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		store := trowtest.Store(t)
		testPools(t, store)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		testPools(t, pgtest.Open(t))
	})
}

func testPools(t *testing.T, store trowel.Store) {
	t.Helper()
	set := func(c pool.Change) (done *pool.Changed, err error) {
		err = store.Update(t.Context(), func(tx trowel.Tx) error {
			done, err = pool.Set(t.Context(), tx, c)
			return err
		})
		return done, err
	}
	remove := func(r pool.Removal) error {
		return store.Update(t.Context(), func(tx trowel.Tx) error {
			_, err := pool.Delete(t.Context(), tx, r)
			return err
		})
	}
	stopped := errors.New("not as expected")
	var actions []string
	for _, c := range []pool.Change{
		{Name: "db", Slots: new(4), By: by(1), DryRun: true},
		{Name: "db", Slots: new(4), Description: new("d"), By: by(2)},
		{Name: "db", Slots: new(4), By: by(3)},
		{Name: "db", IncludeDeferred: new(true), By: by(4)},
		{Name: "db", Slots: new(trowel.Unlimited), By: by(5)},
	} {
		done, err := set(c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		actions = append(actions, done.Action)
	}
	if diff := cmp.Diff([]string{"create", "create", "none", "update", "update"}, actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		change pool.Change
		kind   error
		want   string
	}{
		{pool.Change{Name: "new"}, trowel.ErrInvalid, `the new pool "new" needs a number of slots`},
		{pool.Change{Name: "new", Slots: new(-2)}, trowel.ErrInvalid, "a pool has -1 to 1000000000 slots, not -2"},
		{pool.Change{Name: "a b", Slots: new(1)}, trowel.ErrInvalid, "the name of a pool has letters"},
		{pool.Change{Name: "db", Slots: new(1), Check: func(*trowel.Pool) error { return stopped }}, stopped, ""},
	} {
		if _, err := set(c.change); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.change, err, c.want)
		}
	}
	for name, want := range map[string]error{"none": trowel.ErrNotFound, trowel.DefaultPool: pool.ErrBuiltIn} {
		if err := remove(pool.Removal{Name: name, By: by(6)}); !errors.Is(err, want) {
			t.Errorf("delete %s: %v, want %v", name, err, want)
		}
	}
	if err := errors.Join(remove(pool.Removal{Name: "db", By: by(7), DryRun: true}), remove(pool.Removal{Name: "db", By: by(8)})); err != nil {
		t.Fatal(err)
	}
	var records []string
	err := store.View(t.Context(), func(tx trowel.Tx) error {
		list, err := tx.ListRecords(t.Context(), trowel.RecordFilter{Limit: 100})
		for _, r := range list {
			records = append(records, r.Action+" "+r.Object+" "+r.Actor+" "+r.Note)
		}
		pools, errPools := tx.ListPools(t.Context())
		if len(pools) != 1 || pool.Find(pools, 0, "db") != nil || pool.Find(pools, 0, trowel.DefaultPool) == nil {
			t.Errorf("pools = %v", pools)
		}
		return errors.Join(err, errPools)
	})
	if diff := cmp.Diff([]string{"pool.delete db ann why", "pool.update db ann why", "pool.update db ann why", "pool.create db ann why"}, records); diff != "" || err != nil {
		t.Errorf("records (-want +got), %v:\n%s", err, diff)
	}
}
