package sqldb_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// ownServer returns a server for one test, with a place on it for a user who needs a password.
func ownServer(t *testing.T, password string) (*pgtest.Server, *place) {
	t.Helper()
	server := pgtest.Start(t)
	if err := server.AddUser(t.Context(), "guest", password); err != nil {
		t.Fatal(err)
	}
	at := server.Options()
	at.Schema = "data"
	p := placeOn(t, at)
	p.exec(t, "GRANT ALL ON SCHEMA data TO guest")
	p.options.Set("user", "guest")
	p.secrets = map[string]string{"pg.password": password}
	return server, p
}

// Each task has a session of its own, and never are there more at a time than an agent may have: the server would refuse them.
func TestOwnSessions(t *testing.T) {
	t.Parallel()
	_, p := ownServer(t, "open sesame")
	p.exec(t, "CREATE TABLE seen (n int, session text)")
	p.exec(t, "GRANT ALL ON seen TO guest")
	p.exec(t, "ALTER ROLE guest CONNECTION LIMIT 3")
	const tasks = 60
	table := sqldb.Table(sqldb.Options{PG: sqldb.Settings{MaxConnections: 3}})
	var running sync.WaitGroup
	for i := range tasks {
		f := p.task(t, fmt.Sprintf("INSERT INTO seen SELECT %d, pid || ' ' || backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()", i))
		f.Table = table
		running.Go(func() {
			if _, _, err := f.RunToEnd(); err != nil {
				t.Error(operatortest.Message(err))
			}
		})
	}
	running.Wait()
	p.wantOne(t, "SELECT count(DISTINCT n) || ' ' || count(DISTINCT session) FROM seen", fmt.Sprint(tasks, " ", tasks))
}

// The ways to sign in, with a password in ASCII and another one.
func TestSignIn(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	at := server.Options()
	at.Schema = "data"
	p := placeOn(t, at)
	p.SetMaxIdleConns(0) // they do not outlive the server
	type guest struct{ name, password string }
	var guests []guest
	var rules string
	for _, method := range []string{"scram-sha-256", "md5", "password"} {
		encryption := "scram-sha-256"
		if method == "md5" {
			encryption = "md5"
		}
		for i, password := range []string{"open sesame", "Sésame, ouvre-toi"} {
			g := guest{fmt.Sprintf("%s %d", method, i), password}
			p.exec(t, fmt.Sprintf(`SET password_encryption = '%s'; CREATE ROLE "%s" LOGIN PASSWORD '%s'`, encryption, g.name, g.password))
			rules += fmt.Sprintf("host all \"%s\" 127.0.0.1/32 %s\n", g.name, method)
			guests = append(guests, g)
		}
	}
	if err := server.Restart(t.Context(), pgtest.Files{"pg_hba.conf": rules + "host all all 127.0.0.1/32 trust\n"}); err != nil {
		t.Fatal(err)
	}
	for _, g := range guests {
		p.options.Set("user", g.name)
		p.secrets["pg.password"] = g.password
		table := sqldb.Table(sqldb.Options{})
		for range 2 { // the second one has the keys of the first one
			f := p.task(t, "SELECT 1", "strict_transaction", false)
			f.Table = table
			mustRun(t, f)
		}
		p.secrets["pg.password"] = "no " + g.password
		f := p.task(t, "SELECT 1")
		f.Table = table
		want := fmt.Sprintf(`Failed to connect to the database [FATAL: password authentication failed for user "%s"]`, g.name)
		if got := mustFail(t, f); got != want {
			t.Errorf("with a wrong password the error = %s, want %s", got, want)
		}
	}
}
