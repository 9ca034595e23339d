package cli

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // driver "sqlite"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// Texts and exit codes of server 1.9.6.
func TestMigrateComplaints(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, says string }{
		{"", "error: Invalid parameters\nmigrate takes one of run, check, from-digdag\n"},
		{"run check", "error: Invalid parameters\n"},
		{"chekc -o db", "error: Invalid command\ndid you mean \"check\"?\n"},
		{"run", "error: --database, or --config option is required\n"},
		{"check", "error: --database, or --config option is required\n"},
		{"run -o db --site 1", "error: --site is an option of migrate from-digdag\n"},
		{"from-digdag -o db", "error: --from or --from-url option is required\n"},
		{"from-digdag -o db --from a --from-url b", "error: Setting both --from and --from-url is invalid\n"},
		{"from-digdag -o db --from-url http://x", "error: --from-url does not begin with postgresql://\n"},
		{"from-digdag -o db --from-url postgresql://u:secret@h:x/d", "error: --from-url is no URL\n"},
		{"from-digdag -o db --from-url postgresql://u@h/d?sslmod=a", "error: --from-url has a parameter \"sslmod\", which is not known\n"},
		{"from-digdag -o db --from-url postgresql://h/d", "error: --from-url needs a user, a host and a database\n"},
		{"from-digdag -o db --from none.properties", "error: none.properties (no such file)\n"},
	} {
		c := newConsole(t)
		out := c.Run(append([]string{"migrate"}, strings.Fields(row.args)...)...)
		if out.Exit != 1 || !strings.Contains(out.Stderr, row.says) || strings.Contains(out.Stderr, "secret") {
			t.Errorf("migrate %s: exit %d, %s, want %q", row.args, out.Exit, out.Stderr, row.says)
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "db")); err == nil {
			t.Errorf("migrate %s made a database", row.args)
		}
	}
}

// migrate check changes nothing, and migrate run applies what is pending once.
func TestMigrate(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	expectMigrate(t, c, "check -o db", "No table exist\n")
	if _, err := os.Stat(filepath.Join(c.Dir, "db")); err == nil {
		t.Error("check made a folder")
	}
	expectMigrate(t, c, "run -o db", "Migrations successfully finished\n")
	expectMigrate(t, c, "run -o db", "No update\n")
	expectMigrate(t, c, "check -o db", "No update\n")
	expectMigrate(t, c, "check -o db", forget(t, filepath.Join(c.Dir, "db", "trowel.db")))

	c.Write("memory.properties", "database.type = memory\n")
	expectMigrate(t, c, "check -c memory.properties", "No table exist\n")
	expectMigrate(t, c, "run -c memory.properties", "Migrations successfully finished\n") // of one that is thrown away
	expectMigrate(t, c, "run -c memory.properties", "Migrations successfully finished\n")
}

// forget removes the last migration from a database, and returns the line about it.
func forget(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	version := 0
	if err == nil {
		const query = "DELETE FROM schema_migration WHERE version = (SELECT max(version) FROM schema_migration) RETURNING version"
		err = db.QueryRowContext(t.Context(), query).Scan(&version)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%04d\n", version)
}

// On PostgreSQL the tables are in schema trowel. A server that may not change an old schema refuses to
// start.
func TestMigratePostgreSQL(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("server.properties", settingsOf(pgtest.Start(t).Options()))
	expectMigrate(t, c, "check -c server.properties", "No table exist\n")
	c.Write("keep.properties", c.Read("server.properties")+"database.migrate = false\n")
	out := c.Run("server", "-c", "keep.properties", "--port", "0")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "the database has no tables yet") || !strings.Contains(out.Stderr, "trowel migrate run") {
		t.Errorf("server with database.migrate = false: exit %d, %s, want a refusal with a hint", out.Exit, out.Stderr)
	}
	expectMigrate(t, c, "run -c keep.properties", "Migrations successfully finished\n")
	expectMigrate(t, c, "run -c server.properties", "No update\n")
	expectMigrate(t, c, "check -c server.properties", "No update\n")
}

func expectMigrate(t *testing.T, c *clitest.Console, args, stdout string) {
	t.Helper()
	out := c.Run(append([]string{"migrate"}, strings.Fields(args)...)...)
	if out.Exit != 0 || out.Stdout != stdout || out.Stderr != "" {
		t.Errorf("migrate %s: exit %d, %q, %q, want %q", args, out.Exit, out.Stdout, out.Stderr, stdout)
	}
}

// settingsOf returns the settings that name a PostgreSQL.
func settingsOf(opts postgres.Options) string {
	return fmt.Sprintf("database.type = postgresql\ndatabase.host = %s\ndatabase.port = %d\ndatabase.user = %s\ndatabase.password = %s\ndatabase.database = %s\n",
		opts.Host, max(opts.Port, 5432), opts.User, opts.Password, opts.Database)
}
