package trowtest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// Store opens an empty store in memory. For one in PostgreSQL see package pgtest.
func Store(tb testing.TB) *store.DB {
	tb.Helper()
	return open(tb, sqlite.Options{})
}

// FileStore opens an empty store in a file of a temporary folder, with several connections.
func FileStore(tb testing.TB) *store.DB {
	tb.Helper()
	return OpenFile(tb, filepath.Join(tb.TempDir(), "trowel.db"))
}

// OpenFile opens the store in a file, which is made if it does not exist.
func OpenFile(tb testing.TB, path string) *store.DB {
	tb.Helper()
	return open(tb, sqlite.Options{Path: path})
}

func open(tb testing.TB, opts sqlite.Options) *store.DB {
	tb.Helper()
	db, err := sqlite.Open(context.WithoutCancel(tb.Context()), opts, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closeStore(tb, db) })
	return db
}

func closeStore(tb testing.TB, db *store.DB) {
	tb.Helper()
	if err := db.Close(); err != nil {
		tb.Errorf("close the store: %v", err)
	}
}

// UpdateFile changes the store in a file, and closes it. The file is made if it does not exist.
func UpdateFile(tb testing.TB, path string, change func(tx trowel.Tx) error) {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path}, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	defer closeStore(tb, db)
	Update(tb, db, change)
}

// Update changes a store in one transaction.
func Update(tb testing.TB, db trowel.Store, change func(tx trowel.Tx) error) {
	tb.Helper()
	if err := db.Update(tb.Context(), change); err != nil {
		tb.Fatal(err)
	}
}

// View reads a store in one transaction.
func View(tb testing.TB, db trowel.Store, read func(tx trowel.Tx) error) {
	tb.Helper()
	if err := db.View(tb.Context(), read); err != nil {
		tb.Fatal(err)
	}
}

// PutAgent stores the row of an agent whose lease ends after a while. A negative lease has ended.
func PutAgent(tb testing.TB, db trowel.Store, id string, lease time.Duration) {
	tb.Helper()
	now := time.Now()
	row := &trowel.Agent{ID: id, Name: id, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(lease)}
	Update(tb, db, func(tx trowel.Tx) error { return tx.PutAgent(tb.Context(), row) })
}
