package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
)

// The error about a database that cannot be opened says what to change, and does not contain its password.
func TestDatabaseFix(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "trowel.db"), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct {
		database config.Database
		fix      string
	}{
		"no database": {config.Database{Type: config.DatabaseSQLite, File: filepath.Join(dir, "trowel.db")}, "name another folder in database.path"},
		"nobody there": {
			config.Database{Type: config.DatabasePostgreSQL, Host: "127.0.0.1", Port: 1, User: "u", Password: "hunter2", Name: "d", SSLMode: "disable"},
			"database.host and database.port",
		},
	} {
		_, err := database.Open(t.Context(), &tc.database, time.Now())
		text := ""
		if err != nil {
			text = cmd.ErrorText(err)
		}
		if !strings.Contains(text, "\nfix: ") || !strings.Contains(text, tc.fix) || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %q, want a fix with %q and no password", name, text, tc.fix)
		}
	}
}
