package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Errors of the place of the database may pass, and are reported with their cause.
func TestClassify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.db")
	made, err := Open(t.Context(), Options{Path: path}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO param_value (key, value, updated_at) VALUES (1, zeroblob(1000000), 0)`
	for _, row := range []struct {
		name, source, statement string
	}{
		{"full", path + "?_pragma=max_page_count(1)", insert},
		{"read only", "file:" + path + "?mode=ro", insert},
		{"no folder", filepath.Join(t.TempDir(), "missing", "t.db"), "SELECT 1"},
	} {
		db, err := sql.Open("sqlite", row.source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), row.statement)
		if got := classify(err); !errors.Is(got, trowel.ErrUnavailable) || !errors.Is(got, err) {
			t.Errorf("%s: classify(%v) = %v, want unavailable", row.name, err, got)
		}
		_ = db.Close()
	}
}
