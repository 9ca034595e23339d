// Package database opens the database in a server's settings, for one process alone or beside servers.
package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/filelock"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// LockFile is the lock file of a database in SQLite, in its folder.
const LockFile = "trowel.lock"

// DB is a server's database that a command uses while no server does.
type DB struct {
	*store.DB

	lock *os.File // lock of its folder; nil for a database that is not in a file
}

// Open opens a database and brings its tables up to date. Statements and transactions may take
// long, as no server waits.
func Open(ctx context.Context, d *config.Database, now time.Time) (*DB, error) {
	db := &DB{}
	var err error
	switch d.Type {
	case config.DatabasePostgreSQL:
		opts := PostgresOptions(d)
		opts.Parameters = map[string]string{"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
		db.DB, err = postgres.Open(ctx, opts, now)
	case config.DatabaseSQLite:
		if db.lock, err = Lock(d.File); err != nil {
			return nil, err
		}
		db.DB, err = sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true}, now)
	default:
		db.DB, err = sqlite.Open(ctx, sqlite.Options{}, now)
	}
	err = fix.Database(err)
	if err != nil && db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	return db, err
}

// OpenBeside opens a server's database, which must exist, while the server may be using it. So it does
// not change tables, and refuses those of another version.
func OpenBeside(ctx context.Context, d *config.Database, now time.Time) (trowel.Store, error) {
	if d.Type == config.DatabasePostgreSQL {
		opts := PostgresOptions(d)
		opts.KeepSchema = true
		db, err := postgres.Open(ctx, opts, now)
		return db, fix.Database(err)
	}
	if d.Type == config.DatabaseMemory {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "a database in memory is gone with its server",
			Hint: "name the database with --database, or with the settings database.* in the file of --config",
		}
	}
	if _, err := os.Stat(d.File); err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrNotFound, Message: "cannot use the database", Where: d.File, Err: fix.Reason(err),
			Hint: "--database names the folder that the server has as --database; migrate run makes one",
		}
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true, KeepSchema: true, Wait: time.Minute}, now)
	return db, fix.Database(err)
}

// ReadSchema returns how far the tables of a database are migrated.
func ReadSchema(ctx context.Context, d *config.Database) (store.Schema, error) {
	switch d.Type {
	case config.DatabasePostgreSQL:
		return postgres.ReadSchema(ctx, PostgresOptions(d))
	case config.DatabaseSQLite:
		return sqlite.ReadSchema(ctx, sqlite.Options{Path: d.File})
	default:
		return sqlite.ReadSchema(ctx, sqlite.Options{})
	}
}

// Close closes the database and releases its lock.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	return err
}

// PostgresOptions returns the options of a connection.
func PostgresOptions(d *config.Database) postgres.Options {
	return postgres.Options{
		Host: d.Host, Port: d.Port, User: d.User, Password: d.Password, Database: d.Name,
		SSLMode: d.SSLMode, SSLCert: d.SSLCert, SSLKey: d.SSLKey, SSLRootCert: d.SSLRootCert,
		LoginTimeout: d.ConnectTimeout, SocketTimeout: d.SocketTimeout, IdleTimeout: d.IdleTimeout, MaxConnections: 2,
	}
}

// Lock makes the folder of a database file and takes its lock. Whoever runs attempts of such a
// database holds the lock as long as they do, as a server takes over all attempts that nobody
// else runs.
func Lock(file string) (*os.File, error) {
	dir := filepath.Dir(file)
	err := os.MkdirAll(dir, 0o700)
	var lock *os.File
	if err == nil {
		lock, err = filelock.TakeSoon(filepath.Join(dir, LockFile))
	}
	if errors.Is(err, filelock.ErrTaken) {
		return nil, &trowel.Error{Kind: trowel.ErrConflict, Message: "another server or run uses the database in " + dir, Hint: "wait for it, or stop it first"}
	}
	if err != nil {
		return nil, fix.UseDatabase.Failed(fmt.Errorf("use the database in %s: %w", dir, fix.Reason(err)))
	}
	return lock, nil
}

// Place describes a database for people.
func Place(d *config.Database) string {
	switch d.Type {
	case config.DatabasePostgreSQL:
		return `schema "trowel" of ` + PostgresOptions(d).Where()
	case config.DatabaseSQLite:
		return d.File
	default:
		return "memory"
	}
}
