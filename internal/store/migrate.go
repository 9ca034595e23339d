package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlCreateMigration = `CREATE TABLE IF NOT EXISTS schema_migration (
version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`
	sqlListMigrations  = `SELECT version, name, checksum FROM schema_migration ORDER BY version`
	sqlInsertMigration = `INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`
)

// migration is one file 0001_name.sql.
type migration struct {
	version  int
	name     string
	text     string
	checksum string
}

// Database is what migrations run on: a pool or one connection.
type Database interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// Migrate brings a database up to the newest schema. It applies each file of dir that the database does not have
// yet, in the order of their numbers, each in a transaction of its own. It refuses a database whose applied files have
// changed, or to which this program may not write any more. A newer schema alone is no reason: what later versions add
// disturbs nobody until they raise the generation of those who may write (trowel.Writers).
func Migrate(ctx context.Context, db Database, dir fs.FS, now time.Time) error {
	if _, err := db.ExecContext(ctx, sqlCreateMigration); err != nil {
		return fmt.Errorf("create the table of migrations: %w", err)
	}
	pending, err := pendingMigrations(ctx, db, dir)
	if err != nil {
		return err
	}
	for _, m := range pending {
		if err := apply(ctx, db, m, now); err != nil {
			return fmt.Errorf("apply migration %04d_%s: %w", m.version, m.name, err)
		}
	}
	return nil
}

// Schema describes how far the tables of a database are migrated.
type Schema struct {
	Exists  bool     // the database has a table of migrations
	Pending []string // numbers of the migrations that it lacks, such as "0001", in their order
}

// ReadSchema returns which files of dir a database does not have yet, and changes nothing. exists says
// whether it has the table of migrations. A database that Migrate would refuse is refused.
func ReadSchema(ctx context.Context, db Database, dir fs.FS, exists bool) (Schema, error) {
	pending, err := migrations(dir)
	if exists && err == nil {
		pending, err = pendingMigrations(ctx, db, dir)
	}
	s := Schema{Exists: exists}
	for _, m := range pending {
		s.Pending = append(s.Pending, fmt.Sprintf("%04d", m.version))
	}
	return s, err
}

// errOld returns the error about a database that must be migrated but may not be changed.
func errOld(message string) error {
	return &trowel.Error{
		Kind: trowel.ErrConflict, Message: message,
		Hint: "bring it up to date with `trowel migrate run`, or start one server with database.migrate = true",
	}
}

// CheckMigrated returns an error unless a database has the newest schema. exists reports whether it has
// the table of migrations.
func CheckMigrated(ctx context.Context, db Database, dir fs.FS, exists bool) error {
	s, err := ReadSchema(ctx, db, dir, exists)
	switch {
	case err != nil:
		return err
	case !s.Exists:
		return errOld("the database has no tables yet")
	case len(s.Pending) > 0:
		return errOld("the database lacks these migrations: " + strings.Join(s.Pending, ", "))
	default:
		return nil
	}
}

// pendingMigrations returns the files of dir that the database does not have yet.
func pendingMigrations(ctx context.Context, db Database, dir fs.FS) ([]migration, error) {
	wanted, err := migrations(dir)
	if err != nil {
		return nil, err
	}
	applied, err := appliedMigrations(ctx, db)
	if err != nil {
		return nil, err
	}
	if err := checkApplied(applied, wanted); err != nil {
		return nil, err
	}
	if err := checkWriters(ctx, db, len(applied)); err != nil {
		return nil, err
	}
	return wanted[min(len(applied), len(wanted)):], nil
}

func migrations(dir fs.FS) ([]migration, error) {
	files, err := fs.Glob(dir, "*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	list := make([]migration, len(files))
	for i, file := range files {
		text, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", file, err)
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".sql"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s: want number %04d", file, i+1)
		}
		sum := sha256.Sum256(text)
		list[i] = migration{version, name, string(text), hex.EncodeToString(sum[:])}
	}
	return list, nil
}

func appliedMigrations(ctx context.Context, db Database) ([]migration, error) {
	rows, err := db.QueryContext(ctx, sqlListMigrations)
	if err != nil {
		return nil, fmt.Errorf("list applied migrations: %w", err)
	}
	defer rows.Close()
	var list []migration
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.version, &m.name, &m.checksum); err != nil {
			return nil, fmt.Errorf("list applied migrations: %w", err)
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

func checkApplied(applied, wanted []migration) error {
	if len(applied) > len(wanted) && len(applied) < writerMigration { // no later version has written that
		return &trowel.Error{
			Kind:    trowel.ErrConflict,
			Message: fmt.Sprintf("the database has schema %d, this program knows schemas up to %d", len(applied), len(wanted)),
			Hint:    "use a newer version of the program",
		}
	}
	for i, m := range applied[:min(len(applied), len(wanted))] {
		if m.version != wanted[i].version || m.checksum != wanted[i].checksum {
			return &trowel.Error{
				Kind:    trowel.ErrConflict,
				Message: fmt.Sprintf("migration %04d_%s of the database is not the one of this program", m.version, m.name),
				Hint:    "use the version of the program that made the database",
			}
		}
	}
	return nil
}

func apply(ctx context.Context, db Database, m migration, now time.Time) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if _, err := tx.ExecContext(ctx, m.text); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, sqlInsertMigration, m.version, m.name, m.checksum, now.UnixMicro()); err != nil {
		return err
	}
	return tx.Commit()
}
