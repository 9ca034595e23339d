package sqldb_test

import (
	"bytes"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	if maria.server != nil && maria.server.Close() != nil {
		code = max(code, 1)
	}
	os.Exit(code)
}

// place is an empty schema of a PostgreSQL, or an empty database of a MariaDB.
type place struct {
	*sql.DB

	kind    string // the operator
	options *param.Map
	secrets map[string]string
}

// postgresPlace returns a schema for one test.
func postgresPlace(t *testing.T) *place {
	t.Helper()
	return placeOn(t, pgtest.Options(t))
}

func placeOn(t *testing.T, at postgres.Options) *place {
	t.Helper()
	db := pgtest.Connect(t, at)
	if _, err := db.ExecContext(t.Context(), `CREATE SCHEMA IF NOT EXISTS "`+at.Schema+`"`); err != nil {
		t.Fatal(err)
	}
	return &place{
		DB: db, kind: "pg",
		options: param.Of("host", at.Host, "port", at.Port, "user", at.User, "database", at.Database, "schema", at.Schema),
		secrets: map[string]string{"pg.password": orAny(at.Password)},
	}
}

func orAny(password string) string {
	if password == "" {
		return "open sesame" // nobody asks for it
	}
	return password
}

// task returns a task that runs SQL there, with options in turn with their names.
func (p *place) task(t *testing.T, query string, options ...any) *operatortest.Fixture {
	t.Helper()
	return p.taskOf(t, sqldb.Options{}, query, options...)
}

// taskOf is task for settings.
func (p *place) taskOf(t *testing.T, settings sqldb.Options, query string, options ...any) *operatortest.Fixture {
	t.Helper()
	own := param.Of(p.kind+">", param.Of("data", query))
	own.Merge(param.Of(options...))
	f := operatortest.New(t, sqldb.Table(settings), own).Secrets(p.secrets)
	return f.With(p.kind, p.options)
}

// mustRun runs a task to its end, without an error.
func mustRun(t *testing.T, f *operatortest.Fixture) *param.Map {
	t.Helper()
	outcome, _, err := f.RunToEnd()
	if err != nil {
		t.Fatal(operatortest.Message(err))
	}
	return outcome.Result.Store
}

// mustFail runs a task to its end and returns its message.
func mustFail(t *testing.T, f *operatortest.Fixture) string {
	t.Helper()
	_, _, err := f.RunToEnd()
	if err == nil {
		t.Fatal("the task succeeded, want an error")
	}
	return operatortest.Message(err)
}

// exec runs a statement.
func (p *place) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := p.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// one returns the only field of a result.
func (p *place) one(t *testing.T, query string) string {
	t.Helper()
	var text sql.NullString
	if err := p.QueryRowContext(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text.String
}

// wantOne compares the only field of a result.
func (p *place) wantOne(t *testing.T, query, want string) {
	t.Helper()
	if got := p.one(t, query); got != want {
		t.Errorf("%s = %s, want %s", query, got, want)
	}
}

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// read returns a file of the project.
func read(t *testing.T, f *operatortest.Fixture, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.Project, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// record keeps what tasks log.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// logged makes a task log to a record.
func logged(f *operatortest.Fixture) *record {
	r := &record{}
	f.Request.Log = slog.New(slog.NewTextHandler(r, nil))
	return r
}
