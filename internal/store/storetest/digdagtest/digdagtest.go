package digdagtest

import (
	"database/sql"
	_ "embed"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

//go:embed schema.sql
var schema string

// Database is a Digdag database.
type Database struct {
	Options postgres.Options // how to connect; the tables are in a schema of their own
	DB      *sql.DB
}

// Open makes Digdag's tables on the server that tests share. They only have the rows of Digdag's
// migrations.
func Open(tb testing.TB) *Database {
	tb.Helper()
	return In(tb, pgtest.Options(tb))
}

// In makes Digdag's tables in a schema of a server.
func In(tb testing.TB, opts postgres.Options) *Database {
	tb.Helper()
	d := &Database{Options: opts, DB: pgtest.Connect(tb, opts)}
	d.Exec(tb, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{opts.Schema}.Sanitize())
	d.Exec(tb, schema)
	for version := range strings.FieldsSeq("20151204221156 20160602123456 20221021035534") {
		d.Exec(tb, "INSERT INTO schema_migrations (name, created_at) VALUES ($1, now())", version)
	}
	return d
}

// Exec runs a statement.
func (d *Database) Exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	if _, err := d.DB.ExecContext(tb.Context(), query, args...); err != nil {
		tb.Fatalf("%.200s: %v", query, err)
	}
}
