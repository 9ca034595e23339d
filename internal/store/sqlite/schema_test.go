package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// To look at a schema makes nothing. One that may not be changed is refused until it is up to date.
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
