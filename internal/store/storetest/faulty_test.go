package storetest_test

import (
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest"
)

// Each fault leaves behind what its name says.
func TestFaulty(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		plan storetest.Plan
		err  bool
		want trowel.TaskID // the next id: whether two were reserved
	}{
		{"none", storetest.Plan{Delay: time.Microsecond}, false, 3},
		{"begin", storetest.Plan{Fault: storetest.Begin}, true, 1},
		{"first statement", storetest.Plan{Fault: storetest.Statement}, true, 1},
		{"second statement", storetest.Plan{Fault: storetest.Statement, Statement: 1}, true, 1},
		{"a statement that does not come", storetest.Plan{Fault: storetest.Statement, Statement: 2}, false, 3},
		{"commit", storetest.Plan{Fault: storetest.Commit}, true, 1},
		{"after the commit", storetest.Plan{Fault: storetest.AfterCommit}, true, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			inner, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = inner.Close() })
			db := storetest.NewFaulty(inner, func() storetest.Plan { return row.plan })
			err = db.Update(t.Context(), func(tx trowel.Tx) error {
				_, first := tx.ReserveTaskIDs(t.Context(), 1)
				_, second := tx.ReserveTaskIDs(t.Context(), 1)
				if errors.Is(first, trowel.ErrUnavailable) && second == nil {
					t.Error("a statement succeeds after one that failed")
				}
				return nil // the errors are swallowed
			})
			if (err != nil) != row.err || (err != nil && !errors.Is(err, trowel.ErrUnavailable)) {
				t.Errorf("Update = %v, want an error = %v", err, row.err)
			}
			err = inner.Update(t.Context(), func(tx trowel.Tx) error {
				next, err := tx.ReserveTaskIDs(t.Context(), 1)
				if next != row.want {
					t.Errorf("next id = %d, want %d", next, row.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
