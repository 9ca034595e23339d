package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// A script runs once: the id of the query is stored before, and a run that comes again finds the entry of the status table.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	f := p.task(t, "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
	first, err := f.Run()
	if err != nil || first.Again == nil || first.Again.After != 0 || !first.Again.State.Has("queryId") {
		t.Fatalf("the first run = %+v, %v; want another one at once, with the id of the query", first, err)
	}
	f.State = first.Again.State
	for range 2 {
		if again, err := f.Run(); err != nil || again.Again != nil {
			t.Fatalf("the next run = %+v, %v; want success", again, err)
		}
	}
	p.wantOne(t, "SELECT count(*) FROM t", "2")
	p.wantOne(t, "SELECT count(*) || ' ' || count(completed_at) FROM __digdag_status", "1 1")
}

// A connection that breaks after the commit was sent does not make a second run do the work again.
func TestLostAtCommit(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"SET completed_at", "COMMIT"} {
		p := postgresPlace(t)
		p.exec(t, "CREATE TABLE t (n int)")
		cut := newRelay(t, p)
		cut.breakAt(at, 1+strings.Count(at, "COMMIT")) // the first COMMIT is that of the new row
		f := p.task(t, "INSERT INTO t VALUES (1)", "port", cut.port, "_retry", 3)
		mustRun(t, f)
		p.wantOne(t, "SELECT count(*) FROM t", "1")
	}
}

// A server still has the session of a connection that broke for a moment, with its locks. The next run does not meet them.
func TestLostBeforeCommit(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	cut := newRelay(t, p)
	cut.unheard = true
	cut.breakAt("SET completed_at", 1)
	f := p.task(t, "INSERT INTO t VALUES (1)", "port", cut.port)
	f.State = param.Of("queryId", "00000000-0000-0000-0000-000000000002")
	if _, err := f.Run(); err == nil {
		t.Fatal("the run succeeded, want an error")
	}
	if again, err := f.Run(); err != nil || again.Again != nil {
		t.Fatalf("the next run = %+v, %v; want success", again, err)
	}
	p.wantOne(t, "SELECT count(*) FROM t", "1")
}

func TestNotStrict(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	mustRun(t, p.task(t, "SELECT 7", "insert_into", "t", "strict_transaction", false))
	mustRun(t, p.task(t, "SELECT 8 AS m", "create_table", p.schema()+`.made "up"`, "strict_transaction", false))
	p.wantOne(t, "SELECT n FROM t", "7")
	p.wantOne(t, `SELECT m FROM "made ""up"""`, "8")
	p.wantOne(t, "SELECT to_regclass('__digdag_status') IS NULL", "true")
	if got := mustFail(t, p.task(t, "INSERT INTO t VALUES (9); SELECT nothing", "strict_transaction", false)); !strings.HasPrefix(got, "Failed to execute given SQL script [ERROR: column") {
		t.Errorf("the error = %s", got)
	}
	p.wantOne(t, "SELECT count(*) FROM t WHERE n = 9", "0") // one text, one transaction, as with the JDBC driver
}

func (p *place) schema() string {
	schema, _ := p.options.Get("schema")
	return fmt.Sprint(schema)
}

// While another run has the row of the query, a run asks to be run again: after 1, 2, 4... seconds.
func TestLockConflict(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	f := p.task(t, "INSERT INTO t VALUES (1)")
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	id, _ := f.State.Get("queryId")
	p.exec(t, "CREATE TABLE __digdag_status (query_id text NOT NULL UNIQUE, created_at timestamptz NOT NULL, completed_at timestamptz)")
	p.exec(t, fmt.Sprintf("INSERT INTO __digdag_status VALUES ('%s', now())", id))
	tx, err := p.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "SELECT 1 FROM __digdag_status FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []time.Duration{time.Second, 2 * time.Second} {
		outcome, err := f.Run()
		if err != nil || outcome.Again == nil || outcome.Again.After != want {
			t.Fatalf("a run beside another one = %+v, %v; want again after %s", outcome, err, want)
		}
		f.State = outcome.Again.State
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustRun(t, f)
	p.wantOne(t, "SELECT count(*) FROM t", "1")
}

// Many tasks that create the status table at the same time do not disturb each other.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	table := sqldb.Table(sqldb.Options{PG: sqldb.Settings{MaxConnections: 4}})
	var running sync.WaitGroup
	logs := &record{}
	for i := range 20 {
		f := p.task(t, fmt.Sprintf("SET search_path TO nowhere, %s; CREATE TEMP TABLE mine (n int); INSERT INTO t VALUES (%d); SELECT pg_sleep(0.01)", p.schema(), i))
		f.Table = table
		f.Request.Log = logged(f).logger(logs)
		running.Go(func() {
			if _, _, err := f.RunToEnd(); err != nil {
				t.Error(operatortest.Message(err))
			}
		})
	}
	running.Wait()
	p.wantOne(t, "SELECT count(*) || ' ' || count(DISTINCT n) FROM t", "20 20")
	if !strings.Contains(logs.String(), "waits for a connection: this agent has all that it may have to the server") {
		t.Errorf("no task has said that it waits for a connection: %s", logs.String())
	}
}

// A task that is killed ends its query at the server, and soon returns.
func TestKill(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	for _, options := range [][]any{{}, {"store_last_results", "first"}, {"strict_transaction", false}, {"download_file", "out.csv"}} {
		f := p.task(t, "SELECT pg_sleep(600)", options...)
		f.State = param.Of("queryId", "00000000-0000-0000-0000-000000000001")
		killKilled(t, p, f, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'")
		if left := names(t, f.Project); len(left) > 0 {
			t.Errorf("files are left: %q", left)
		}
	}
}

// killKilled runs a task and kills it as soon as a query counts its one.
func killKilled(t *testing.T, p *place, f *operatortest.Fixture, count string) {
	t.Helper()
	ctx, kill := context.WithCancelCause(t.Context())
	errKilled := errors.New("killed")
	done := make(chan error, 1)
	go func() {
		_, err := f.RunContext(ctx)
		done <- err
	}()
	waitFor(t, p, count, "1")
	begun := time.Now()
	kill(errKilled)
	if err := <-done; !errors.Is(err, errKilled) || time.Since(begun) > 4*time.Second {
		t.Errorf("a killed run ended after %s with %v", time.Since(begun), err)
	}
	waitFor(t, p, count, "0")
}

func waitFor(t *testing.T, p *place, query, want string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); p.one(t, query) != want; <-tick.C {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("%s is not %s", query, want)
		}
	}
}

// What goes wrong is told in the words of the server, and no secret is in them.
func TestFailures(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := closed.Addr().(*net.TCPAddr).Port
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query   string
		options []any
		want    string
	}{
		{"SELECT nothing", []any{"store_last_results", true}, "Failed to execute given SELECT statement [ERROR: column \"nothing\" does not exist\n  Position: 8]"},
		{"SELECT 1; SELECT 2", []any{"store_last_results", true}, "Failed to execute given SELECT statement [Multiple ResultSets were returned by the query.]"},
		{"SELECT 1; SELECT 2", []any{"download_file", "x.csv"}, "Failed to execute given SELECT statement [Multiple ResultSets were returned by the query.]"},
		{"CREATE TABLE u (n int)", []any{"store_last_results", true}, "Failed to execute given SELECT statement [No results were returned by the query.]"},
		{"", []any{"store_last_results", true}, "Failed to execute given SELECT statement [No results were returned by the query.]"},
		{"BEGIN READ ONLY; INSERT INTO t VALUES (1) RETURNING n", []any{"download_file", "x.csv"}, "Failed to execute given SELECT statement [No results were returned by the query.]"},
		{"SELECT 1; SELECT 2", []any{"insert_into", "t"}, "Failed to execute an update statement [A result was returned when none was expected.]"},
		{"SELECT 'x'", []any{"insert_into", "missing"}, "Failed to execute an update statement [ERROR: relation \"missing\" does not exist\n  Position: 13]"},
		{"COPY t FROM STDIN", nil, "Failed to execute given SQL script [COPY FROM STDIN and COPY TO STDOUT are not possible here: nobody sends or takes the data]"},
		{"COPY t TO STDOUT", nil, "Failed to execute given SQL script [COPY FROM STDIN and COPY TO STDOUT are not possible here: nobody sends or takes the data]"},
		{"SET statement_timeout = 50; SELECT pg_sleep(60)", nil, "Failed to execute given SQL script [ERROR: canceling statement due to statement timeout]"},
		{"SELECT pg_sleep(60)", []any{"socket_timeout", "1s"}, "Failed to execute given SQL script [the server was silent for 1s (socket_timeout)]"},
		{"SELECT pg_terminate_backend(pg_backend_pid())", nil, "Failed to execute given SQL script [FATAL: terminating connection due to administrator command]"},
		{"SELECT 1", []any{"port", port}, fmt.Sprintf("Failed to connect to the database [Connection to 127.0.0.1:%d refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.]", port)},
		{"SELECT 1", []any{"database", "nowhere"}, "Failed to connect to the database [FATAL: database \"nowhere\" does not exist]"},
		{"SELECT 1", []any{"host", "nobody.invalid"}, "Failed to connect to the database [lookup nobody.invalid"},
		{"SELECT 1", []any{"host", "/var/run/postgresql"}, "Failed to connect to the database [\"/var/run/postgresql\" is no host: want a name or an address]"},
		{"SELECT 1", []any{"ssl", true}, "Failed to connect to the database [The server does not support SSL.]"},
		{"SELECT 1", []any{"download_file", "no/such/folder.csv"}, "no such file or directory (runtime)"},
	} {
		f := p.task(t, test.query, test.options...)
		if got := mustFail(t, f); !strings.Contains(got, test.want) || strings.Contains(got, "sesame") {
			t.Errorf("%s with %v: the error = %s, want %s", test.query, test.options, got, test.want)
		}
		if left := names(t, f.Project); len(left) > 0 {
			t.Errorf("%s with %v: files are left: %q", test.query, test.options, left)
		}
	}
	p.wantOne(t, "SELECT count(*) FROM t", "0")
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		own     *param.Map
		secrets map[string]string
		want    string
	}{
		{param.Of("insert_into", "t", "create_table", "u"), nil, "Can't use both of insert_into and create_table (config)"},
		{param.Of("insert_into", "t", "download_file", "u"), nil, "Can't use download_file with insert_into or create_table (config)"},
		{param.Of("insert_into", "t", "store_last_results", "all"), nil, "Can't use store_last_results with insert_into or create_table (config)"},
		{param.Of("download_file", "t", "store_last_results", "all"), nil, "Can't use both download_file and store_last_results at once (config)"},
		{param.Of("store_last_results", "last"), nil, `Expected class io.digdag.standards.operator.jdbc.StoreLastResultsOption for key 'store_last_results' but got "last" (string) (config)`},
		{param.Of("connect_timeout", "soon"), nil, `Expected class io.digdag.util.DurationParam for key 'connect_timeout' but got "soon" (string) (config)`},
		{param.Of("host", nil), nil, "Parameter 'host' is required but null (config)"},
		{param.Of("port", 0), nil, "Parameter 'port' must be a number from 1 to 65535, but is 0 (config)"},
		{param.Of("password_override", "other"), nil, "Secret not found for key: 'other' (secret not found)"},
		{param.Of(), map[string]string{"pg.port": "sesame"}, "The secret 'pg.port' has no value that port can have (config)"},
	} {
		own := param.Of("pg>", param.Of("data", "SELECT 1"))
		own.Merge(test.own)
		f := operatortest.New(t, sqldb.Table(sqldb.Options{}), own).Secrets(test.secrets)
		f.With("pg", param.Of("host", "127.0.0.1", "port", 1, "user", "u", "database", "d"))
		if got := mustFail(t, f); got != test.want {
			t.Errorf("%s: the error = %s, want %s", param.JSON(test.own), got, test.want)
		}
	}
}

// The limits of what is stored.
func TestStoreLimits(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	small := sqldb.Options{PG: sqldb.Settings{MaxRows: 2, MaxColumns: 2, MaxValueSize: 3}}
	for _, test := range []struct{ query, want string }{
		{"SELECT * FROM generate_series(1, 1000000)", "The number of result rows exceeded the limit: 3 > 2"},
		{"SELECT 1, 2, 3", "The number of result columns exceeded the limit: 3 > 2"},
		{"SELECT 'äöüß'", "The size of result value exceeded the limit: 4 > 3"},
		{"SELECT ARRAY['abcd']", "The size of result value exceeded the limit: 4 > 3"},
	} {
		if got := mustFail(t, p.taskOf(t, small, test.query, "store_last_results", "all")); got != test.want {
			t.Errorf("%s: the error = %s, want %s", test.query, got, test.want)
		}
	}
	got := mustRun(t, p.taskOf(t, small, "SELECT 'äöü' AS t UNION ALL SELECT 'abc'", "store_last_results", "all"))
	if diff := cmp.Diff(`{"pg":{"last_results":[{"t":"äöü"},{"t":"abc"}]}}`, param.JSON(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A user who must not make tables gets hints, and needs none if the table is there.
func TestStatusTableOfOthers(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	if err := server.AddUser(t.Context(), "poor", "open sesame"); err != nil {
		t.Fatal(err)
	}
	at := server.Options()
	at.Schema = "data"
	p := placeOn(t, at)
	p.exec(t, "CREATE TABLE t (n int)")
	p.exec(t, "GRANT ALL ON t TO poor; GRANT USAGE ON SCHEMA data TO poor")
	task := func(options ...any) *operatortest.Fixture {
		return p.task(t, "INSERT INTO t VALUES (1)", append([]any{"user", "poor"}, options...)...)
	}
	want := "Failed to create a status table \"__digdag_status\".\nhint: if you don't have permission to create tables, please try one of these options:\n1. add 'strict_transaction: false'"
	if got := mustFail(t, task()); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "[ERROR: permission denied for schema data\n  Position: 28]") {
		t.Errorf("the error = %s", got)
	}
	p.exec(t, "CREATE TABLE __digdag_status (query_id text NOT NULL UNIQUE, created_at timestamptz NOT NULL, completed_at timestamptz)")
	p.exec(t, "GRANT ALL ON __digdag_status TO poor")
	mustRun(t, task())
	p.exec(t, "CREATE SCHEMA other AUTHORIZATION poor")
	mustRun(t, task("status_table_schema", "other", "status_table", "mine"))
	p.wantOne(t, "SELECT count(*) FROM t", "2")
	p.wantOne(t, "SELECT count(completed_at) FROM other.mine", "1")

	p.secrets["pg.password"] = "wrong sesame"
	if got := mustFail(t, task()); got != `Failed to connect to the database [FATAL: password authentication failed for user "poor"]` {
		t.Errorf("with a wrong password the error = %s", got)
	}
	delete(p.secrets, "pg.password")
	if got := mustFail(t, task()); got != `Failed to connect to the database [The server requested password-based authentication, but no password was provided.]` {
		t.Errorf("without a password the error = %s", got)
	}
	p.secrets["pg.second"] = "open sesame"
	mustRun(t, task("password_override", "second"))
}

// A server that is restarted fails what runs, and the next run goes on with the same query.
func TestServerRestarted(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	at := server.Options()
	at.Schema = "data"
	p := placeOn(t, at)
	p.SetMaxIdleConns(0) // they do not outlive the server
	p.exec(t, "CREATE TABLE t (n int)")
	f := p.task(t, "INSERT INTO t VALUES (1); SELECT pg_sleep(CASE WHEN (SELECT count(*) FROM t) > 0 THEN 0.4 ELSE 0 END)", "_retry", 10)
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	done := make(chan operator.Outcome, 1)
	go func() {
		outcome, _ := f.Run()
		done <- outcome
	}()
	waitFor(t, p, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()", "1")
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if outcome := <-done; outcome.Again == nil || outcome.Again.Cause == nil {
		t.Fatalf("the run = %+v, want a retry", outcome)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustRun(t, f)
	p.wantOne(t, "SELECT count(*) FROM t", "1")
}
