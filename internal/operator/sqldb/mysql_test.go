package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/operator/sqldb/mariadbtest"
	"github.com/trowel-project/trowel/internal/param"
)

// maria is the server that the tests share.
var maria struct {
	once   sync.Once
	server *mariadbtest.Server
	err    error
}

// mysqlPlace returns a database for one test.
func mysqlPlace(t *testing.T) *place {
	t.Helper()
	maria.once.Do(func() { maria.server, maria.err = mariadbtest.Start(context.WithoutCancel(t.Context())) })
	if errors.Is(maria.err, mariadbtest.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(maria.err)
	}
	if maria.err != nil {
		t.Fatal(maria.err)
	}
	name, db := maria.server.Database(t)
	return &place{
		DB: db, kind: "mysql", options: param.Of("host", "127.0.0.1", "port", maria.server.Port, "user", "trowel", "database", name),
		secrets: map[string]string{"mysql.password": mariadbtest.Password},
	}
}

func TestMySQL(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	f := p.task(t, "INSERT INTO t VALUES (1); SELECT 'a;b'; INSERT INTO t VALUES (2)")
	mustRun(t, f)
	mustRun(t, f) // the same query again
	p.wantOne(t, "SELECT group_concat(n) FROM t", "1,2")
	p.wantOne(t, "SELECT concat(count(*), ' ', count(completed_at)) FROM __digdag_status", "1 1")

	mustRun(t, p.task(t, "SELECT n * 10 AS m FROM t", "create_table", "made"))
	mustRun(t, p.task(t, "SELECT n * 100 FROM t", "insert_into", "made"))
	p.wantOne(t, "SELECT group_concat(m ORDER BY m) FROM made", "10,20,100,200")
	mustRun(t, p.task(t, "CREATE PROCEDURE twice() BEGIN INSERT INTO t VALUES (3); INSERT INTO t VALUES (4); END", "strict_transaction", false))
	mustRun(t, p.task(t, "CALL twice()"))
	p.wantOne(t, "SELECT group_concat(n) FROM t", "1,2,3,4")
}

func TestMySQLResults(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, `CREATE TABLE t (i int, u bigint unsigned, f float, d double, n decimal(20,2), s varchar(20), nul int, da date, ts datetime(2), ti time, b blob, j json)`)
	p.exec(t, `INSERT INTO t VALUES (1, 18446744073709551615, 5, 1e20, 1.50, 'a "b",c', NULL, '2016-01-02', '2016-01-02 03:04:05', '03:04:05', x'00ff', '{"a":1}')`)
	f := p.task(t, "SELECT * FROM t", "download_file", "out.csv")
	mustRun(t, f)
	want := "i,u,f,d,n,s,nul,da,ts,ti,b,j\r\n1,18446744073709551615,5.0,1.0E20,1.50,\"a \"\"b\"\",c\",,2016-01-02,2016-01-02 03:04:05.00,03:04:05,\x00\xff,\"{\"\"a\"\":1}\"\r\n"
	if diff := cmp.Diff(want, read(t, f, "out.csv")); diff != "" {
		t.Errorf("out.csv (-want +got):\n%s", diff)
	}
	got := mustRun(t, p.task(t, "SELECT * FROM t", "store_last_results", "all"))
	wantRow := `{"mysql":{"last_results":[{"i":1,"u":18446744073709551615,"f":5.0,"d":1.0E20,"n":1.5,"s":"a \"b\",c","nul":null,"da":1451692800000,"ts":1451703845000,"ti":"03:04:05","b":"AP8=","j":"{\"a\":1}"}]}}`
	if diff := cmp.Diff(wantRow, param.JSON(got)); diff != "" {
		t.Errorf("the stored rows (-want +got):\n%s", diff)
	}
}

func TestMySQLFailures(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	for _, test := range []struct {
		query   string
		options []any
		want    string
	}{
		{"SELECT nothing", []any{"store_last_results", true}, "Failed to execute given SELECT statement [Error 1054 (42S22): Unknown column 'nothing' in 'SELECT']"},
		{"INSERT INTO t VALUES (1)", []any{"store_last_results", true}, "Query must be read-only if download_file is set (config)"},
		{"SELECT 1; SELECT 2", []any{"download_file", "x.csv"}, "Failed to execute given SELECT statement [Multiple ResultSets were returned by the query.]"},
		{"SET @a = 1", []any{"store_last_results", true}, "Failed to execute given SELECT statement [No results were returned by the query.]"},
		{"INSERT INTO t VALUES (1); INSERT INTO nowhere VALUES (1)", nil, "Failed to execute given SQL script [Error 1146 (42S02): Table"},
		{"SELECT 1; SELECT 2", []any{"insert_into", "t"}, "Failed to execute an update statement [A result was returned when none was expected.]"},
		{"SELECT sleep(60)", []any{"socket_timeout", "1s"}, "Failed to execute given SQL script [the server was silent for 1s (socket_timeout)]"},
		{"KILL CONNECTION_ID()", nil, "Failed to execute given SQL script ["},
		{"SELECT 1", []any{"port", 1}, "Failed to connect to the database [Connection to 127.0.0.1:1 refused."},
		{"SELECT 1", []any{"user", "nobody"}, "Failed to connect to the database [Error 1045 (28000): Access denied for user 'nobody'"},
		{"SELECT 1", []any{"ssl", true}, "Failed to connect to the database ["},
	} {
		f := p.task(t, test.query, test.options...)
		if got := mustFail(t, f); !strings.HasPrefix(strings.ToLower(got), strings.ToLower(test.want)) || strings.Contains(got, "sesame") {
			t.Errorf("%s with %v: the error = %s, want %s", test.query, test.options, got, test.want)
		}
		if left := names(t, f.Project); len(left) > 0 {
			t.Errorf("%s with %v: files are left: %q", test.query, test.options, left)
		}
	}
	p.wantOne(t, "SELECT count(*) FROM t", "0")
}

func TestMySQLKill(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	for _, options := range [][]any{{}, {"download_file", "out.csv"}} {
		f := p.task(t, "SELECT sleep(600)", options...)
		f.State = param.Of("queryId", "00000000-0000-0000-0000-000000000001")
		database, _ := p.options.Get("database")
		killKilled(t, p, f, fmt.Sprintf("SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT sleep(600)%%' AND db = '%s'", database))
		if left := names(t, f.Project); len(left) > 0 {
			t.Errorf("files are left: %q", left)
		}
	}
}

// Another run of the same query keeps this one waiting, also after a statement that ended the transaction.
func TestMySQLLockConflict(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	f := p.task(t, "INSERT INTO t VALUES (1); CREATE TABLE u (n int); SELECT sleep(1)")
	f.State = param.Of("queryId", "00000000-0000-0000-0000-000000000002")
	done := make(chan error, 1)
	go func() {
		_, err := f.Run()
		done <- err
	}()
	database, _ := p.options.Get("database")
	waitFor(t, p, fmt.Sprintf("SELECT count(*) FROM information_schema.tables WHERE table_schema = '%s' AND table_name = 'u'", database), "1")
	second := p.task(t, "INSERT INTO t VALUES (1); CREATE TABLE u (n int); SELECT sleep(1)")
	second.State = f.State
	outcome, err := second.Run()
	if err != nil || outcome.Again == nil || outcome.Again.After != time.Second {
		t.Errorf("a run beside another one = %+v, %v; want again after 1 s", outcome, err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustRun(t, second)
	p.wantOne(t, "SELECT count(*) FROM t", "1")
}

func TestMySQLLostAtCommit(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	cut := newRelay(t, p)
	cut.breakAt("COMMIT", 1)
	mustRun(t, p.task(t, "INSERT INTO t VALUES (1)", "port", cut.port, "_retry", 3))
	p.wantOne(t, "SELECT count(*) FROM t", "1")
}

func TestMySQLManyAtOnce(t *testing.T) {
	t.Parallel()
	p := mysqlPlace(t)
	p.exec(t, "CREATE TABLE t (n int)")
	table := sqldb.Table(sqldb.Options{MySQL: sqldb.Settings{MaxConnections: 5}})
	var running sync.WaitGroup
	for i := range 20 {
		f := p.task(t, fmt.Sprintf("INSERT INTO t VALUES (%d)", i))
		f.Table = table
		running.Go(func() {
			if _, _, err := f.RunToEnd(); err != nil {
				t.Error(operatortest.Message(err))
			}
		})
	}
	running.Wait()
	p.wantOne(t, "SELECT concat(count(*), ' ', count(DISTINCT n)) FROM t", "20 20")
}
