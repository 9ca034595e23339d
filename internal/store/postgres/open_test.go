package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// Several servers may open an empty database at once.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	var running sync.WaitGroup
	for range 5 {
		running.Go(func() {
			db, err := postgres.Open(t.Context(), opts, time.Now())
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			_ = db.Close()
		})
	}
	running.Wait()
}

// A newer schema is refused, and so is a missing one with KeepSchema. The error says what to do.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	refused := func(what, message string) {
		t.Helper()
		db, err := postgres.Open(t.Context(), opts, time.Now())
		if err == nil {
			_ = db.Close()
			t.Fatalf("Open of %s succeeds", what)
		}
		known, ok := errors.AsType[*trowel.Error](err)
		if !ok || !errors.Is(err, trowel.ErrConflict) || known.Hint == "" || !strings.Contains(err.Error(), message) {
			t.Errorf("Open of %s = %v, want a conflict with a hint and %q", what, err, message)
		}
	}
	opts.KeepSchema = true
	refused("an empty database", "has no tables yet")
	opts.KeepSchema = false
	open(t, opts)
	opts.KeepSchema = true
	open(t, opts)
	change := func(statement string) {
		t.Helper()
		if _, err := pgtest.Connect(t, opts).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	change(`CREATE TABLE saved AS SELECT * FROM schema_migration`)
	change(`DELETE FROM schema_migration`)
	refused("an older database", "the database lacks these migrations: 0001")
	change(`INSERT INTO schema_migration SELECT * FROM saved`)
	change(`INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (1000, 'later', '', 0)`)
	for _, opts.KeepSchema = range []bool{false, true} {
		open(t, opts) // what later versions add disturbs nobody
	}
	change(`UPDATE writer SET lowest = 1000, since = '9.9'`)
	for _, opts.KeepSchema = range []bool{false, true} {
		refused("a database of later writers", "only Trowel 9.9 and later may write to the database (generation 1000)")
	}
}

// Errors about the options do not contain the password.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	good := pgtest.Options(t)
	for _, row := range []struct {
		name   string
		change func(o *postgres.Options)
		kind   error
		text   string
	}{
		{"no host", func(o *postgres.Options) { o.Host = "" }, trowel.ErrInvalid, "database.host is missing"},
		{"no user", func(o *postgres.Options) { o.User = "" }, trowel.ErrInvalid, "database.user is missing"},
		{"no database", func(o *postgres.Options) { o.Database = "" }, trowel.ErrInvalid, "database.database is missing"},
		{"unknown sslmode", func(o *postgres.Options) { o.SSLMode = "wild" }, trowel.ErrInvalid, "sslmode"},
		{"nobody listens", func(o *postgres.Options) { o.Port = 1 }, trowel.ErrUnavailable, "postgresql://trowel@127.0.0.1:1/postgres"},
		{"unknown database", func(o *postgres.Options) { o.Database = "it's \\ not there" }, nil, `database "it's \ not there" does not exist`},
		{"no SSL", func(o *postgres.Options) { o.SSLMode = "require" }, nil, "TLS"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			opts := good
			opts.User, opts.Password = "trowel", "hidden"
			row.change(&opts)
			db, err := postgres.Open(t.Context(), opts, time.Now())
			if err == nil {
				_ = db.Close()
				t.Fatal("Open succeeds")
			}
			if !strings.Contains(err.Error(), row.text) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("Open = %v, want %q", err, row.text)
			}
			if row.kind != nil && !errors.Is(err, row.kind) {
				t.Errorf("Open = %v, want kind %v", err, row.kind)
			}
		})
	}
}
