package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

//go:embed migration/*.sql
var migrations embed.FS

// Open connects to the database and brings its schema up to date. Several servers may do so at once.
// A database that cannot be reached is an ErrUnavailable.
func Open(ctx context.Context, opts Options, now time.Time) (*store.DB, error) {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	config, err := opts.config()
	if err != nil {
		return nil, err
	}
	pool := newPool(config, opts)
	db, err := open(ctx, pool, config, opts, now)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", opts.where(), classify(err)), pool.Close())
	}
	return db, nil
}

func newPool(config *pgx.ConnConfig, opts Options) *sql.DB {
	// A lost connection is detected when a transaction begins, and another one is tried then. A ping before
	// each transaction would double the requests of an idle server.
	pool := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	pool.SetMaxOpenConns(opts.MaxConnections)
	pool.SetMaxIdleConns(opts.MaxConnections)
	pool.SetConnMaxIdleTime(opts.IdleTimeout)
	return pool
}

func open(ctx context.Context, pool *sql.DB, config *pgx.ConnConfig, opts Options, now time.Time) (*store.DB, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, pool, dir, opts, now); err != nil {
		return nil, err
	}
	return store.New(ctx, pool, store.Dialect{
		BeginWrite:         "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
		BeginRead:          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		TransactionControl: control,
		// Rows that refer to a locked row, such as a chunk of its log, may still be inserted.
		LockRows:        " FOR NO KEY UPDATE",
		LockForDelete:   " FOR UPDATE",
		LockForChange:   " FOR KEY SHARE",
		LockShared:      " FOR SHARE",
		Pipe:            openPipe,
		KeepsStatements: true,
		TaskIDs:         true,
		Connecting:      opts.ConnectionTimeout,
		Timeout:         opts.SocketTimeout,
		Channel:         opts.Schema,
		Listen:          (&listener{config: config, log: opts.Log}).listen,
		Classify:        classify,
	})
}

// lockMigration is the key of the advisory lock that serializes the migrations of all servers.
const lockMigration = 0x74726f77656c // "trowel"

const (
	sqlLockMigration   = `SELECT pg_advisory_lock($1)`
	sqlUnlockMigration = `SELECT pg_advisory_unlock($1)`
	sqlHasMigrations   = `SELECT to_regclass('schema_migration') IS NOT NULL`
	sqlFindSchema      = `SELECT count(*) FROM pg_namespace WHERE nspname = $1`
)

// migrate makes the schema and its tables under a lock of the whole database. It uses a single connection for
// everything, so that the lock ends with it.
func migrate(ctx context.Context, pool *sql.DB, dir fs.FS, opts Options, now time.Time) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := checkServer(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, sqlLockMigration, int64(lockMigration)); err != nil {
		return fmt.Errorf("wait for other servers: %w", err)
	}
	defer func() {
		if _, errUnlock := conn.ExecContext(context.WithoutCancel(ctx), sqlUnlockMigration, int64(lockMigration)); err == nil {
			err = errUnlock
		}
	}()
	if opts.KeepSchema {
		exists, err := hasMigrations(ctx, conn)
		if err != nil {
			return err
		}
		return store.CheckMigrated(ctx, conn, dir, exists)
	}
	var found int
	if err := conn.QueryRowContext(ctx, sqlFindSchema, opts.Schema).Scan(&found); err != nil {
		return fmt.Errorf("look for schema %q: %w", opts.Schema, err)
	}
	if found == 0 {
		if _, err := conn.ExecContext(ctx, "CREATE SCHEMA "+pgx.Identifier{opts.Schema}.Sanitize()); err != nil {
			return fmt.Errorf("create schema %q: %w", opts.Schema, err)
		}
	}
	return store.Migrate(ctx, conn, dir, now)
}

// hasMigrations reports whether there is a table of migrations.
func hasMigrations(ctx context.Context, db store.Database) (exists bool, err error) {
	rows, err := db.QueryContext(ctx, sqlHasMigrations)
	if err != nil {
		return false, fmt.Errorf("look for tables: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&exists); err != nil {
			return false, fmt.Errorf("look for tables: %w", err)
		}
	}
	return exists, rows.Err()
}

// control begins or ends a transaction. PostgreSQL answers a COMMIT of a failed transaction with
// ROLLBACK, which must not pass for a commit. A ROLLBACK on a closed connection counts as
// done.
func control(ctx context.Context, conn *sql.Conn, statement string) error {
	err := conn.Raw(func(driverConn any) error {
		known, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("driver %T is not pgx", driverConn)
		}
		pg := known.Conn().PgConn()
		if statement == rollback && pg.IsClosed() {
			return nil
		}
		results, err := pg.Exec(ctx, statement).ReadAll()
		if err != nil {
			return err
		}
		for _, result := range results {
			if tag := result.CommandTag.String(); statement == commit && tag != commit {
				return fmt.Errorf("%w: the database answers %s", trowel.ErrConflict, tag)
			}
		}
		return nil
	})
	if statement == rollback && errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}

const (
	commit   = "COMMIT"
	rollback = "ROLLBACK"
)
