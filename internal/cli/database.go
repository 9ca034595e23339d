package cli

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
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// serverLockFile is the lock of a database in SQLite, in its folder.
const serverLockFile = "trowel.lock"

// database is a server's database that a command works on by itself, while no server does.
type database struct {
	*store.DB

	lock *os.File // of its folder; nil for one that is not in a file
}

// openDatabase opens a database and brings its tables up to date. Statements may take long, and so may
// transactions between them, as no server waits.
func openDatabase(ctx context.Context, d *config.Database, now time.Time) (*database, error) {
	db := &database{}
	var err error
	switch d.Type {
	case config.DatabasePostgreSQL:
		opts := postgresOptions(d)
		opts.Parameters = map[string]string{"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
		db.DB, err = postgres.Open(ctx, opts, now)
	case config.DatabaseSQLite:
		if db.lock, err = lockDatabase(d.File); err != nil {
			return nil, err
		}
		db.DB, err = sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true}, now)
	default:
		db.DB, err = sqlite.Open(ctx, sqlite.Options{}, now)
	}
	err = databaseFix(err)
	if err != nil && db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	return db, err
}

// openBeside opens a server's database, which must exist, while the server may be using it. So it does
// not change its tables: one of another version is refused.
func openBeside(ctx context.Context, d *config.Database, now time.Time) (trowel.Store, error) {
	if d.Type == config.DatabasePostgreSQL {
		opts := postgresOptions(d)
		opts.KeepSchema = true
		db, err := postgres.Open(ctx, opts, now)
		return db, databaseFix(err)
	}
	if d.Type == config.DatabaseMemory {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "a database in memory is gone with its server",
			Hint: "name the database with --database, or with the settings database.* in the file of --config",
		}
	}
	if _, err := os.Stat(d.File); err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrNotFound, Message: "cannot use the database", Where: d.File, Err: reason(err),
			Hint: "--database names the folder that the server has as --database; migrate run makes one",
		}
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true, KeepSchema: true, Wait: time.Minute}, now)
	return db, databaseFix(err)
}

// readSchema looks how far the tables of a database are.
func readSchema(ctx context.Context, d *config.Database) (store.Schema, error) {
	switch d.Type {
	case config.DatabasePostgreSQL:
		return postgres.ReadSchema(ctx, postgresOptions(d))
	case config.DatabaseSQLite:
		return sqlite.ReadSchema(ctx, sqlite.Options{Path: d.File})
	default:
		return sqlite.ReadSchema(ctx, sqlite.Options{})
	}
}

func (db *database) Close() error {
	err := db.DB.Close()
	if db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	return err
}

// postgresOptions says how to connect.
func postgresOptions(d *config.Database) postgres.Options {
	return postgres.Options{
		Host: d.Host, Port: d.Port, User: d.User, Password: d.Password, Database: d.Name,
		SSLMode: d.SSLMode, SSLCert: d.SSLCert, SSLKey: d.SSLKey, SSLRootCert: d.SSLRootCert,
		LoginTimeout: d.ConnectTimeout, SocketTimeout: d.SocketTimeout, IdleTimeout: d.IdleTimeout, MaxConnections: 2,
	}
}

// lockDatabase makes the folder of a database file and takes its lock. Whoever runs attempts of a
// database in a file has it as long as they do: a server takes all attempts for its own that nobody
// else runs.
func lockDatabase(file string) (*os.File, error) {
	dir := filepath.Dir(file)
	err := os.MkdirAll(dir, 0o700)
	var lock *os.File
	if err == nil {
		lock, err = filelock.TakeSoon(filepath.Join(dir, serverLockFile))
	}
	if errors.Is(err, filelock.ErrTaken) {
		return nil, &trowel.Error{Kind: trowel.ErrConflict, Message: "another server or run uses the database in " + dir, Hint: "wait for it, or stop it first"}
	}
	if err != nil {
		return nil, useDatabase.failed(fmt.Errorf("use the database in %s: %w", dir, reason(err)))
	}
	return lock, nil
}

// databasePlace names a database for people.
func databasePlace(d *config.Database) string {
	switch d.Type {
	case config.DatabasePostgreSQL:
		return `schema "trowel" of ` + postgresOptions(d).Where()
	case config.DatabaseSQLite:
		return d.File
	default:
		return "memory"
	}
}
