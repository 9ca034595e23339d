package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// New databases of both kinds have the same tables with the same columns, in the same order, with
// types of the same meaning, and NULL allowed in the same ones. Ids of tasks come from a table, and output
// to pack is in one, in SQLite alone.
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
		// SQLite has one integer type, in which rows have their ids.
		meaning := strings.NewReplacer("BYTEA", "BLOB", "BIGINT", "INTEGER").Replace(strings.ToUpper(kind))
		list = append(list, fmt.Sprintf("%s.%s %s, required %v", table, column, meaning, required))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
