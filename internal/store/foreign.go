package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlFindTablePostgres = `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2`

// HasTable reports whether the database of this store has a table of another program. SQLite files have
// none.
func (db *DB) HasTable(ctx context.Context, schema, table string) (bool, error) {
	if db.dialect.Channel == "" { // not PostgreSQL
		return false, nil
	}
	found := 0
	err := db.View(ctx, func(inside trowel.Tx) error {
		own, ok := inside.(*tx)
		if !ok {
			return fmt.Errorf("look for a table in a transaction of type %T", inside)
		}
		return own.row(ctx, sqlFindTablePostgres, []any{schema, table}, &found)
	})
	if err != nil {
		return false, fmt.Errorf("look for table %s.%s: %w", schema, table, err)
	}
	return found > 0, nil
}
