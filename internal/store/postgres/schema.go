package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/trowel-project/trowel/internal/store"
)

// ReadSchema returns how far the tables of a database are migrated, and changes nothing.
func ReadSchema(ctx context.Context, opts Options) (store.Schema, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return store.Schema{}, err
	}
	pool, err := Connect(opts)
	if err != nil {
		return store.Schema{}, err
	}
	schema := store.Schema{}
	exists, err := hasMigrations(ctx, pool)
	if err == nil {
		schema, err = store.ReadSchema(ctx, pool, dir, exists)
	}
	if err != nil {
		err = fmt.Errorf("look at database %s: %w", opts.withDefaults().where(), classify(err))
	}
	return schema, errors.Join(err, pool.Close())
}

// Connect opens a plain pool of connections, for tables of other programs. It reads and changes nothing, and
// connects only when a connection is needed.
func Connect(opts Options) (*sql.DB, error) {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	config, err := opts.config()
	if err != nil {
		return nil, err
	}
	return newPool(config, opts), nil
}

// Where describes the database for people, without the password.
func (o Options) Where() string { return o.withDefaults().where() }

// Classify gives an error of the driver one of trowel's kinds, or returns it as it is.
func Classify(err error) error { return classify(err) }
