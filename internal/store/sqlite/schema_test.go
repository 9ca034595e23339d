package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest"
)

// Reading a schema makes no file. A schema that is not up to date is refused if it may not be changed.
func TestSchema(t *testing.T) {
	t.Parallel()
	opts := sqlite.Options{Path: filepath.Join(t.TempDir(), "a.db")}
	keeping := opts
	keeping.KeepSchema = true
	files, err := filepath.Glob("migration/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	all := store.Schema{}
	for _, file := range files {
		all.Pending = append(all.Pending, filepath.Base(file)[:4])
	}
	expectSchema(t, opts, all)
	_, err = sqlite.Open(t.Context(), keeping, time.Now())
	if known, ok := errors.AsType[*trowel.Error](err); !ok || !errors.Is(err, trowel.ErrConflict) || known.Hint == "" {
		t.Errorf("Open of a database that is not there = %v, want a conflict with a hint", err)
	}
	if _, err := os.Stat(opts.Path); err == nil {
		t.Error("a file was made")
	}
	if err := os.WriteFile(opts.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), keeping, time.Now()); !errors.Is(err, trowel.ErrConflict) {
		t.Errorf("Open of an empty database = %v, want a conflict", err)
	}
	for _, o := range []sqlite.Options{opts, keeping} {
		db, err := sqlite.Open(t.Context(), o, time.Now())
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		expectSchema(t, o, store.Schema{Exists: true})
	}
	expectSchema(t, sqlite.Options{}, all)
}

func expectSchema(t *testing.T, opts sqlite.Options, want store.Schema) {
	t.Helper()
	got, err := sqlite.ReadSchema(t.Context(), opts)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ReadSchema, %v (-want +got):\n%s", err, diff)
	}
}

// A database that later versions write is not opened by this one, whether its schema is newer or not.
func TestRaisedWriters(t *testing.T) {
	t.Parallel()
	opts := sqlite.Options{Path: filepath.Join(t.TempDir(), "a.db")}
	change := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", opts.Path)
		if err == nil {
			_, err = db.ExecContext(t.Context(), statement)
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open(t, opts)
	change("INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (1000, 'later', '', 0)")
	storetest.Raised(t, open(t, opts), change)
	for _, opts.KeepSchema = range []bool{false, true} {
		_, err := sqlite.Open(t.Context(), opts, time.Now())
		want := "open database " + opts.Path + ": only Trowel 0.7.0 and later may write to the database (generation 7), and this program is older (generation 1)"
		if !errors.Is(err, trowel.ErrOutdated) || err.Error() != want {
			t.Errorf("Open = %v, want %s", err, want)
		}
	}
	if _, err := sqlite.ReadSchema(t.Context(), opts); !errors.Is(err, trowel.ErrOutdated) {
		t.Errorf("ReadSchema = %v, want an ErrOutdated", err)
	}
}
