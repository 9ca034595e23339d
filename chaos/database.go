package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// database is the database of the servers.
type database struct {
	driver, url string // for queries that the store does not have
	settings    []string
	open        func(ctx context.Context) (trowel.Store, error) // for SQLite, only while no server runs
	create      func(ctx context.Context) (trowel.Store, error) // opens it and makes its tables if there are none
	check       func(ctx context.Context) error                 // checks its own files
	close       func() error
	server      *pgtest.Server // nil for SQLite
}

// newSQLite makes a database in a folder.
func newSQLite(dir string) *database {
	path := filepath.Join(dir, "trowel.db")
	return &database{
		driver: "sqlite", url: path,
		settings: []string{"database.type = sqlite", "database.path = " + dir},
		open: func(ctx context.Context) (trowel.Store, error) {
			return sqlite.Open(ctx, sqlite.Options{Path: path, KeepSchema: true}, time.Now())
		},
		create: func(ctx context.Context) (trowel.Store, error) {
			return sqlite.Open(ctx, sqlite.Options{Path: path}, time.Now())
		},
		check: func(ctx context.Context) error { return checkPages(ctx, path) },
		close: func() error { return nil },
	}
}

// checkPages makes SQLite check its file.
func checkPages(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var answer string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&answer); err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("integrity_check: %s", answer)
	}
	return nil
}

// newPostgreSQL starts a PostgreSQL for this run.
func newPostgreSQL(ctx context.Context) (*database, error) {
	server, err := pgtest.New(ctx)
	if errors.Is(err, pgtest.ErrMissing) {
		return nil, fmt.Errorf("%w: %w", errSkipped, err)
	}
	if err != nil {
		return nil, err
	}
	if err := keepInstants(ctx, server); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	o := server.Options()
	keeping := o
	keeping.KeepSchema = true
	return &database{
		driver: "pgx", url: server.URL(),
		settings: []string{
			"database.type = postgresql", "database.host = " + o.Host, "database.port = " + strconv.Itoa(o.Port),
			"database.user = " + o.User, "database.password = " + o.Password, "database.database = " + o.Database,
		},
		open: func(ctx context.Context) (trowel.Store, error) {
			return postgres.Open(ctx, keeping, time.Now())
		},
		create: func(ctx context.Context) (trowel.Store, error) { return postgres.Open(ctx, o, time.Now()) },
		check:  func(context.Context) error { return nil },
		close:  server.Close,
		server: server,
	}, nil
}

// keepInstants makes PostgreSQL store when each transaction was committed.
func keepInstants(ctx context.Context, server *pgtest.Server) error {
	db, err := sql.Open("pgx", server.URL())
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, sqlKeepInstants)
	return errors.Join(err, db.Close(), server.Stop(ctx), server.Start(ctx))
}

// cutConnections ends all connections of servers to PostgreSQL.
func (d *database) cutConnections(ctx context.Context) (err error) {
	db, err := sql.Open("pgx", d.server.URL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`)
	return err
}

// errNoMount says that this user cannot make a small disk.
var errNoMount = errors.New("skipped: this user may not mount a file system")

// mountSmall mounts a small disk in memory on a folder. unmount removes it.
func mountSmall(ctx context.Context, dir string, megabytes int) (unmount func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "tmpfs", dir).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %s", errNoMount, err, text)
	}
	return func() error {
		return exec.CommandContext(context.WithoutCancel(ctx), "umount", dir).Run()
	}, nil
}
