package store_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

func openDatabase(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// files makes a folder of migrations from names and texts in turn.
func files(texts ...string) fs.FS {
	dir := fstest.MapFS{}
	for i := 0; i+1 < len(texts); i += 2 {
		dir[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1])}
	}
	return dir
}

const (
	first  = "CREATE TABLE a (x INTEGER); CREATE TABLE b (y INTEGER);"
	second = "ALTER TABLE a ADD COLUMN z INTEGER; INSERT INTO a (x, z) VALUES (1, 2);"
)

// Each file is applied once, in order, even if some of them come later.
func TestMigrate(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	at := time.UnixMicro(1705276800000001)
	for _, dir := range []fs.FS{
		files("0001_first.sql", first), files("0001_first.sql", first),
		files("0001_first.sql", first, "0002_second.sql", second), files("0001_first.sql", first, "0002_second.sql", second),
	} {
		if err := store.Migrate(t.Context(), db, dir, at); err != nil {
			t.Fatal(err)
		}
	}
	var rows, applied int
	var names string
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM a WHERE z = 2").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	err := db.QueryRowContext(t.Context(), "SELECT count(*), group_concat(name) FROM schema_migration WHERE applied_at = 1705276800000001").Scan(&applied, &names)
	if err != nil {
		t.Fatal(err)
	}
	if rows != 1 || applied != 2 || names != "first,second" {
		t.Errorf("%d rows, %d migrations %q, want 1 row of the second of 2", rows, applied, names)
	}
}

// A migration that fails leaves nothing behind, and the database is as before.
func TestMigrateFails(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	dir := files("0001_first.sql", first, "0002_second.sql", "CREATE TABLE c (x INTEGER); CREATE TABLE a (x INTEGER);")
	if err := store.Migrate(t.Context(), db, dir, time.Now()); err == nil || !strings.Contains(err.Error(), "0002_second") {
		t.Fatalf("Migrate = %v, want an error that names 0002_second", err)
	}
	var tables []string
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if diff := cmp.Diff([]string{"a", "b", "schema_migration"}, tables); diff != "" || rows.Err() != nil {
		t.Errorf("tables after a failed migration (-want +got):\n%s%v", diff, rows.Err())
	}
	if err := store.Migrate(t.Context(), db, files("0001_first.sql", first, "0002_second.sql", second), time.Now()); err != nil {
		t.Errorf("Migrate with a mended file: %v", err)
	}
}

// A database that does not belong to this program is refused, with what to do about it.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		applied fs.FS
		wanted  fs.FS
		message string
	}{
		{
			"newer schema", files("0001_first.sql", first, "0002_second.sql", second), files("0001_first.sql", first),
			"the database has schema 2, this program knows schemas up to 1",
		},
		{
			"changed file", files("0001_first.sql", first), files("0001_first.sql", first+" "),
			"migration 0001_first of the database is not the one of this program",
		},
		{"gap in the numbers", files(), files("0002_second.sql", second), "migration 0002_second.sql: want number 0001"},
		{"no number", files(), files("first.sql", first), "migration first.sql: want number 0001"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			db := openDatabase(t)
			if err := store.Migrate(t.Context(), db, row.applied, time.Now()); err != nil {
				t.Fatal(err)
			}
			err := store.Migrate(t.Context(), db, row.wanted, time.Now())
			if err == nil || err.Error() != row.message {
				t.Fatalf("Migrate = %v, want %s", err, row.message)
			}
			if known, ok := errors.AsType[*trowel.Error](err); ok && (known.Hint == "" || !errors.Is(err, trowel.ErrConflict)) {
				t.Errorf("error %v has kind %v and hint %q, want a conflict with a hint", err, known.Kind, known.Hint)
			}
		})
	}
}
