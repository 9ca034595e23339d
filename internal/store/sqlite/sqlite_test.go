package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest"
)

func open(t *testing.T, opts sqlite.Options) trowel.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), opts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) trowel.Store {
		t.Helper()
		return open(t, sqlite.Options{})
	})
}

func TestFile(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) trowel.Store {
		t.Helper()
		return open(t, sqlite.Options{Path: filepath.Join(t.TempDir(), "a b?c#d%20.db")})
	})
}

// A file keeps what was committed, and a second program may use it at the same time.
func TestTwoPrograms(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trowel.db")
	one, two := open(t, sqlite.Options{Path: path, Durable: true}), open(t, sqlite.Options{Path: path})
	const each = 50
	var running sync.WaitGroup
	for _, db := range []trowel.Store{one, two} {
		running.Go(func() {
			for range each {
				err := db.Update(t.Context(), func(tx trowel.Tx) error {
					_, err := tx.ReserveTaskIDs(t.Context(), 10)
					return err
				})
				if err != nil {
					t.Errorf("reserve: %v", err)
				}
			}
		})
	}
	running.Wait()
	three := open(t, sqlite.Options{Path: path})
	err := three.Update(t.Context(), func(tx trowel.Tx) error {
		first, err := tx.ReserveTaskIDs(t.Context(), 1)
		if want := trowel.TaskID(2*each*10 + 1); first != want {
			t.Errorf("next id = %d, want %d", first, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Readers of a file do not wait for an open transaction, and do not see it.
func TestViewBesideUpdate(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{Path: filepath.Join(t.TempDir(), "trowel.db")})
	err := db.Update(t.Context(), func(tx trowel.Tx) error {
		err := tx.InsertRevision(t.Context(), &trowel.Project{Name: "p", CreatedAt: time.Now()}, &trowel.Revision{Name: "r", CreatedAt: time.Now()}, nil)
		if err != nil {
			return err
		}
		return db.View(t.Context(), func(tx trowel.Tx) error {
			if _, err := tx.FindProject(t.Context(), "p"); !errors.Is(err, trowel.ErrNotFound) {
				t.Errorf("FindProject beside the transaction = %v, want not found", err)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Errors of opening name the path.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte(strings.Repeat("this is no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing", "a.db"), broken, dir} {
		db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path}, time.Now())
		if err == nil {
			_ = db.Close()
			t.Errorf("Open(%s) succeeds, want an error", path)
			continue
		}
		if !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%s) = %v, want an error with the path", path, err)
		}
	}
}

// A writer that waits too long for a locked file gets an error that it may try again.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trowel.db")
	one, two := open(t, sqlite.Options{Path: path}), open(t, sqlite.Options{Path: path, Wait: time.Millisecond})
	err := one.Update(t.Context(), func(trowel.Tx) error {
		err := two.Update(t.Context(), func(trowel.Tx) error { return nil })
		if !errors.Is(err, trowel.ErrUnavailable) {
			t.Errorf("Update beside another = %v, want unavailable", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
