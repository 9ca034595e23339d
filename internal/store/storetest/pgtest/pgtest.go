package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"

	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/postgres"
)

// Env names a server for tests, such as postgresql://user:password@host:port/database. Without it they
// start one themselves.
const Env = "TROWEL_TEST_POSTGRESQL"

// common is the server that the tests of a package share.
type common struct {
	once    sync.Once
	server  *Server // nil if Env names one
	options postgres.Options
	err     error
}

var (
	shared  common
	schemas atomic.Int64
)

// Main runs the tests of a package, and stops the server that they shared if they started one. It
// returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "end PostgreSQL:", err)
			return max(code, 1)
		}
	}
	return code
}

// Options returns the options of an empty schema for one test, on the server that the tests of the package share.
// Without PostgreSQL the test is skipped, except in CI, where it fails.
func Options(tb testing.TB) postgres.Options {
	tb.Helper()
	shared.once.Do(func() { shared.start(context.WithoutCancel(tb.Context())) })
	check(tb, shared.err)
	opts := shared.options
	opts.Schema = fmt.Sprintf("trowel_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), schemas.Add(1))
	opts.MaxConnections = 12
	tb.Cleanup(func() { drop(tb, opts) })
	return opts
}

// Open opens an empty store for one test, and closes it when the test ends.
func Open(tb testing.TB) *store.DB {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), Options(tb), time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db
}

// Start starts a server for one test, which may stop it.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s, err := New(tb.Context())
	check(tb, err)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("end PostgreSQL: %v", err)
		}
	})
	return s
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func (c *common) start(ctx context.Context) {
	if text := os.Getenv(Env); text != "" {
		c.options, c.err = parse(text)
		return
	}
	if c.server, c.err = New(ctx); c.err == nil {
		c.options = c.server.Options()
	}
}

// parse reads the URL of a server.
func parse(text string) (postgres.Options, error) {
	u, err := url.Parse(text)
	if err != nil {
		return postgres.Options{}, fmt.Errorf("%s: %w", Env, err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil && u.Port() != "" {
		return postgres.Options{}, fmt.Errorf("%s: %w", Env, err)
	}
	password, _ := u.User.Password()
	opts := postgres.Options{
		Host: u.Hostname(), Port: port, User: u.User.Username(), Password: password, Database: strings.TrimPrefix(u.Path, "/"),
		SSLMode: u.Query().Get("sslmode"),
	}
	return opts, nil
}

// URL returns the address of the server in the form of Env.
func (s *Server) URL() string {
	return fmt.Sprintf("postgresql://%s@127.0.0.1:%d/postgres?sslmode=disable", user, s.port)
}

// Connect opens a plain pool of connections to a store's schema, for tests that look at tables.
func Connect(tb testing.TB, opts postgres.Options) *sql.DB {
	tb.Helper()
	db, err := connect(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func connect(opts postgres.Options) (*sql.DB, error) {
	port := opts.Port
	if port == 0 {
		port = 5432
	}
	u := url.URL{Scheme: "postgresql", User: url.UserPassword(opts.User, opts.Password), Host: fmt.Sprintf("%s:%d", opts.Host, port), Path: "/" + opts.Database}
	query := url.Values{"search_path": {opts.Schema}, "sslmode": {sslMode(opts)}}
	for key, value := range opts.Parameters {
		query.Set(key, value)
	}
	query.Set("application_name", "test") // different from a store's
	u.RawQuery = query.Encode()
	return sql.Open("pgx", u.String())
}

// drop removes the schema of a test.
func drop(tb testing.TB, opts postgres.Options) {
	tb.Helper()
	db, err := connect(opts)
	if err == nil {
		_, err = db.ExecContext(context.WithoutCancel(tb.Context()), "DROP SCHEMA IF EXISTS "+pgx.Identifier{opts.Schema}.Sanitize()+" CASCADE")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		tb.Errorf("drop schema %s: %v", opts.Schema, err)
	}
}

func sslMode(opts postgres.Options) string {
	if opts.SSLMode == "" {
		return "disable"
	}
	return opts.SSLMode
}
