package servertest

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// OnDatabases runs a test with a server on a file of SQLite, and with one on PostgreSQL, if there is one.
func OnDatabases(t *testing.T, test func(t *testing.T, s *Server, db trowel.Store)) {
	t.Helper()
	for _, base := range []struct {
		name string
		open func(t *testing.T) trowel.Store
	}{
		{"SQLite", func(t *testing.T) trowel.Store { t.Helper(); return trowtest.FileStore(t) }},
		{"PostgreSQL", func(t *testing.T) trowel.Store { t.Helper(); return pgtest.Open(t) }},
	} {
		t.Run(base.name, func(t *testing.T) {
			t.Parallel()
			db := base.open(t)
			test(t, New(t, func(o *server.Options) { o.REST.Store = db }), db)
		})
	}
}
