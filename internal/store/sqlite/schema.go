package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/store"
)

const sqlHasMigrations = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'`

// migrate brings the schema up to date, or refuses one that is not.
func migrate(ctx context.Context, pool *sql.DB, dir fs.FS, opts Options, now time.Time) error {
	if !opts.KeepSchema {
		return store.Migrate(ctx, pool, dir, now)
	}
	exists, err := hasMigrations(ctx, pool)
	if err != nil {
		return err
	}
	return store.CheckMigrated(ctx, pool, dir, exists)
}

// checkThere refuses a missing file if the schema may not be changed, as opening would make it.
func checkThere(ctx context.Context, opts Options) error {
	if !opts.KeepSchema || !missing(opts.Path) {
		return nil
	}
	return store.CheckMigrated(ctx, nil, migrations, false)
}

// missing reports whether there is no file of a database, or it is in memory.
func missing(path string) bool {
	_, err := os.Stat(path)
	return path == "" || errors.Is(err, fs.ErrNotExist)
}

func hasMigrations(ctx context.Context, pool *sql.DB) (bool, error) {
	var tables int
	if err := pool.QueryRowContext(ctx, sqlHasMigrations).Scan(&tables); err != nil {
		return false, fmt.Errorf("look for tables: %w", err)
	}
	return tables > 0, nil
}

// ReadSchema returns how far the tables of a database are migrated, and changes nothing. It does not make a missing
// file.
func ReadSchema(ctx context.Context, opts Options) (store.Schema, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return store.Schema{}, err
	}
	if missing(opts.Path) {
		return store.ReadSchema(ctx, nil, dir, false)
	}
	pool, err := sql.Open("sqlite", dataSource(opts))
	if err != nil {
		return store.Schema{}, fmt.Errorf("open database %s: %w", opts.Path, err)
	}
	schema := store.Schema{}
	exists, err := hasMigrations(ctx, pool)
	if err == nil {
		schema, err = store.ReadSchema(ctx, pool, dir, exists)
	}
	if err != nil {
		err = fmt.Errorf("look at database %s: %w", opts.Path, classify(err))
	}
	return schema, errors.Join(err, pool.Close())
}
