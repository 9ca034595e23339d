// Package sqlite opens a store in a SQLite database, in a file or in memory.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

//go:embed migration/*.sql
var migrations embed.FS

// Options say where the database is and how durable it is.
type Options struct {
	// Path is the database file, which is made if it is missing. Empty for a database in memory.
	Path string
	// Durable makes every commit survive a loss of power, not only a kill of the process.
	Durable bool
	// Wait is how long a transaction waits for one of another program. Zero means 10 seconds.
	Wait time.Duration
	// KeepSchema forbids changes of the schema (database.migrate=false). A schema that is not up to date is
	// refused.
	KeepSchema bool
}

// connectionsPerCore is how many transactions per core read at the same time, beside the one that writes.
const connectionsPerCore = 4

// Open opens the database and brings its schema up to date.
func Open(ctx context.Context, opts Options, now time.Time) (*store.DB, error) {
	if err := checkThere(ctx, opts); err != nil {
		return nil, fmt.Errorf("open database %s: %w", opts.Path, err)
	}
	if err := makeFile(opts.Path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", opts.Path, err)
	}
	pool, err := sql.Open("sqlite", dataSource(opts))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", opts.Path, err)
	}
	if opts.Path == "" {
		// Each connection would have a database of its own.
		pool.SetMaxOpenConns(1)
		pool.SetConnMaxLifetime(0)
	} else {
		// Each connection has three files open and a cache of 2 MB. They stay open, as SQLite keeps the files of a closed one
		// until no other connection holds a lock.
		most := 1 + connectionsPerCore*max(runtime.NumCPU(), 2)
		pool.SetMaxOpenConns(most)
		pool.SetMaxIdleConns(most)
	}
	db, err := open(ctx, pool, opts, now)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", opts.Path, classify(err)), pool.Close())
	}
	return db, nil
}

// makeFile makes the file of a new database, for its user alone. SQLite would make it readable for everybody whom
// the umask allows. Its other files get the mode of this one.
func makeFile(path string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

func open(ctx context.Context, pool *sql.DB, opts Options, now time.Time) (*store.DB, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, pool, dir, opts, now); err != nil {
		return nil, err
	}
	if err := checkDriver(ctx, pool); err != nil {
		return nil, err
	}
	return store.New(ctx, pool, store.Dialect{
		BeginWrite:    "BEGIN IMMEDIATE",
		BeginRead:     "BEGIN",
		OneWriter:     true,
		OneConnection: opts.Path == "",
		MarksLogs:     true,
		Prepare:       prepare,
		Classify:      classify,
	})
}

func dataSource(opts Options) string {
	if opts.Path == "" {
		return "file::memory:?_pragma=foreign_keys(1)&_pragma=temp_store(MEMORY)"
	}
	synchronous := "NORMAL"
	if opts.Durable {
		synchronous = "FULL"
	}
	wait := opts.Wait
	if wait == 0 {
		wait = 10 * time.Second
	}
	// A page that is written again and again is copied from the log to its place only once in 16 MB.
	q := url.Values{"_pragma": {
		"busy_timeout(" + strconv.FormatInt(wait.Milliseconds(), 10) + ")", "journal_mode(WAL)", "wal_autocheckpoint(4000)", "synchronous(" + synchronous + ")", "foreign_keys(1)",
	}}
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(opts.Path), RawQuery: q.Encode()}).String()
}

// coded is an error of SQLite, from the driver or from a statement that is executed without it.
type coded interface {
	error
	Code() int
}

var _ coded = (*sqlite.Error)(nil)

// classify gives errors of the database their kind.
func classify(err error) error {
	known, ok := errors.AsType[coded](err)
	if !ok {
		return err
	}
	switch code := known.Code(); {
	case code == sqlite3.SQLITE_CONSTRAINT_UNIQUE, code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
		code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", trowel.ErrConflict, err)
	case passing(code & 0xff):
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	default:
		return err
	}
}

// passing reports whether an error comes from the place of the database or from another program, so that the same call
// may succeed later.
func passing(primary int) bool {
	switch primary {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}
