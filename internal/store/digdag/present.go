package digdag

import "context"

// Hint is what a server says when Present is true.
const Hint = "the database has tables of Digdag, which are left alone; `trowel migrate from-digdag` copies what they hold"

// Database looks for tables beside those of a store.
type Database interface {
	HasTable(ctx context.Context, schema, table string) (bool, error)
}

// Present reports whether the database of a store also has Digdag's tables, in the schema where Digdag
// makes them.
func Present(ctx context.Context, db Database) (bool, error) {
	for _, table := range []string{"schema_migrations", "session_attempts", "workflow_definitions"} {
		found, err := db.HasTable(ctx, "public", table)
		if err != nil || !found {
			return false, err
		}
	}
	return true, nil
}
