package store_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// New databases of both kinds have the same tables with the same columns, in the same order, with
// types of the same meaning, and with NULL allowed in the same ones. The exceptions are the table of task ids and that
// of output to pack, which SQLite alone has.
func TestSchemasAreEqual(t *testing.T) {
	t.Parallel()
	const sqlite = `SELECT m.name, c.name, c.type, c."notnull" OR c.pk > 0 FROM sqlite_master m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT IN ('id_block', 'log_unpacked') ORDER BY m.name, c.cid`
	const postgres = `SELECT table_name, column_name, data_type, is_nullable = 'NO' FROM information_schema.columns
WHERE table_schema = current_schema ORDER BY table_name COLLATE "C", ordinal_position`
	want, got := listColumns(t, emptySQLite(t), sqlite), listColumns(t, emptyPostgres(t), postgres)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-SQLite +PostgreSQL):\n%s", diff)
	}
	if len(got) < 100 {
		t.Errorf("found %d columns, want more", len(got))
	}
}

func listColumns(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var table, column, kind string
		var required bool
		if err := rows.Scan(&table, &column, &kind, &required); err != nil {
			t.Fatal(err)
		}
		// SQLite has one integer type, which ids of rows need.
		meaning := strings.NewReplacer("BYTEA", "BLOB", "BIGINT", "INTEGER").Replace(strings.ToUpper(kind))
		list = append(list, fmt.Sprintf("%s.%s %s, required %v", table, column, meaning, required))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// A database of the first schema keeps its attempts, and those that have not ended go on.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	onServer := pgtest.Connect(t, opts)
	if _, err := onServer.ExecContext(t.Context(), "CREATE SCHEMA "+opts.Schema); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{"sqlite": openDatabase(t), "postgres": onServer} {
		dir := os.DirFS(filepath.Join(name, "migration"))
		text, err := fs.ReadFile(dir, "0001_first.sql")
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Migrate(t.Context(), db, files("0001_first.sql", string(text)), time.UnixMicro(1)); err != nil {
			t.Fatal(err)
		}
		for _, row := range []string{
			"project (id, name, created_at) VALUES (1, 'p', 1)",
			"revision (id, project_id, name, archive_type, archive_bytes, actor, created_at) VALUES (1, 1, 'r', 'none', 0, 'me', 1)",
			"workflow_config (id, project_id, digest, zone) VALUES (1, 1, 1, 'UTC')",
			"workflow (id, revision_id, name, config_id) VALUES (1, 1, 'w', 1)",
			"session (id, project_id, workflow, session_time, uuid) VALUES (1, 1, 'w', 1, 'u')",
			"attempt (id, session_id, project_id, workflow, name, number, workflow_id, zone, flags, cause, actor, version, created_at, finished_at) VALUES" +
				" (1, 1, 1, 'w', '', 1, 1, 'UTC', 3, 'user', 'me', 5, 1, 2), (2, 1, 1, 'w', 'again', 2, 1, 'UTC', 0, 'user', 'me', 7, 1, NULL)",
			"task (id, attempt_id, full_name, is_group, state, flags, parent_round, try, updated_at, version) VALUES" +
				" (8, 2, '+w', TRUE, 6, 0, 0, 0, 1, 3), (9, 2, '+w+a', FALSE, 4, 0, 0, 1, 1, 7), (10, 2, '+w+b', FALSE, 0, 0, 0, 0, 1, 3)",
		} {
			if _, err := db.ExecContext(t.Context(), "INSERT INTO "+row); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := store.Migrate(t.Context(), db, dir, time.UnixMicro(2)); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"SELECT attempt_id, version FROM attempt_version": "2 7",
			"SELECT attempt_id, id FROM task WHERE begun":     "2 9",
			"SELECT count(*), max(version) FROM attempt":      "2 7",
			// There may be servers that only know the older form of secrets.
			"SELECT count(*), sum(CASE WHEN bound THEN 1 ELSE 0 END) FROM secret_form": "1 0",
		} {
			var a, b int
			if err := db.QueryRowContext(t.Context(), query).Scan(&a, &b); err != nil {
				t.Fatalf("%s: %s: %v", name, query, err)
			}
			if got := fmt.Sprint(a, b); got != want {
				t.Errorf("%s: %s: %s, want %s", name, query, got, want)
			}
		}
	}
}
