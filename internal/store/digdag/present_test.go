package digdag_test

import (
	"context"
	"testing"

	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/store/storetest/digdagtest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// renamed is a database in which the tables of a schema seem to be in "public".
type renamed struct {
	digdag.Database

	schema string
}

func (r renamed) HasTable(ctx context.Context, schema, table string) (bool, error) {
	if schema == "public" {
		schema = r.schema
	}
	return r.Database.HasTable(ctx, schema, table)
}

// Digdag's tables are found beside those of a store in PostgreSQL; SQLite has none.
func TestPresent(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	d := digdagtest.Open(t)
	for _, row := range []struct {
		name string
		db   digdag.Database
		want bool
	}{
		{"PostgreSQL without", db, false}, {"PostgreSQL with", renamed{db, d.Options.Schema}, true}, {"SQLite", openSQLite(t), false},
	} {
		got, err := digdag.Present(t.Context(), row.db)
		if err != nil || got != row.want {
			t.Errorf("%s: Present = %v, %v, want %v", row.name, got, err, row.want)
		}
	}
}
