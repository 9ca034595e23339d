package db_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
	"github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/trowtest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		database := trowtest.FileStore(t)
		return db.New(database)
	})
}
