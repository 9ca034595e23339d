package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// TestCanceledCallersLeaveNoTransaction ends the contexts of many writers at random moments of their
// transactions. The next writer must be able to use the connection.
func TestCanceledCallersLeaveNoTransaction(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "t.db")}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	work := func(ctx context.Context) error {
		return db.Update(ctx, func(tx trowel.Tx) error {
			_, err := tx.ReserveTaskIDs(ctx, 1)
			return err
		})
	}
	for i := range 3000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%100)*time.Microsecond)
		_ = work(ctx)
		cancel()
		if err := work(t.Context()); err != nil {
			t.Fatalf("transaction after canceled one %d: %v", i, err)
		}
	}
}
