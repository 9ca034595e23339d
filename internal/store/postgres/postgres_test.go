package postgres_test

import (
	"os"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) trowel.Store {
		t.Helper()
		return pgtest.Open(t)
	})
}
