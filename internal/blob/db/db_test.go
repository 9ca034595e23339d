package db_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
	"github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

func TestStore(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		database, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "t.db")}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := database.Close(); err != nil {
				t.Error(err)
			}
		})
		return db.New(database)
	})
}
