package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// DB is a trowel.Store on a database. It writes through one connection, whose prepared statements it
// keeps, and reads through others, or through the same one where there is only one.
type DB struct {
	pool    *sql.DB
	dialect Dialect
	turn    chan struct{} // has room for one: who put something in may use the writer
	writer  *session
}

var _ trowel.Store = (*DB)(nil)

// New makes a store of an open and migrated database.
func New(ctx context.Context, pool *sql.DB, dialect Dialect) (*DB, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return &DB{pool: pool, dialect: dialect, turn: make(chan struct{}, 1), writer: newSession(conn, dialect)}, nil
}

// transact waits for the writer and runs f on it.
func (db *DB) transact(ctx context.Context, begin string, f func(trowel.Tx) error) error {
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the database: %w", context.Cause(ctx))
	}
	defer func() { <-db.turn }()
	return db.writer.transact(ctx, begin, f)
}

// Update runs f in a transaction that writes. It is not run again: on one writing connection there
// is nobody to conflict with.
func (db *DB) Update(ctx context.Context, f func(trowel.Tx) error) error {
	return db.transact(ctx, db.dialect.BeginWrite, f)
}

// View runs f in a transaction that only reads. In a database with one connection it waits for the
// open transaction to end.
func (db *DB) View(ctx context.Context, f func(trowel.Tx) error) error {
	if db.dialect.OneConnection {
		return db.transact(ctx, db.dialect.BeginRead, f)
	}
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	reader := newSession(conn, db.dialect)
	return errors.Join(reader.transact(ctx, db.dialect.BeginRead, f), reader.close())
}

// Close waits for an open transaction and closes the database.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	return errors.Join(db.writer.close(), db.pool.Close())
}
