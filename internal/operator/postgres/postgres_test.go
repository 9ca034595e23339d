package postgres_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/postgres"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

var _ operator.ParamServer = (*postgres.Server)(nil)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// Operators 6.1: the table and its values are Digdag's, in both directions.
func TestSharedWithDigdag(t *testing.T) {
	t.Parallel()
	at := pgtest.Start(t).Options()
	server, err := postgres.New(postgres.Options{
		Host: at.Host, Port: at.Port, User: at.User, Password: secret.NewValue(at.Password), Database: at.Database,
	})
	if err != nil {
		t.Fatal(err)
	}
	var setting sync.WaitGroup
	for i := range 4 { // one of them makes the table
		setting.Go(func() {
			if err := server.SetParams(t.Context(), map[string]string{"k1": "v \"ä\n", "k2": fmt.Sprint(i)}); err != nil {
				t.Errorf("SetParams: %v", err)
			}
		})
	}
	setting.Wait()
	if err := server.SetParams(t.Context(), map[string]string{"k2": ""}); err != nil {
		t.Fatal(err)
	}
	at.Schema = "public"
	raw := pgtest.Connect(t, at)
	var rows, kind, site int
	var value string
	if err := raw.QueryRow(`SELECT (SELECT count(*) FROM params), value, value_type, site_id FROM params WHERE key = 'k1'`).Scan(&rows, &value, &kind, &site); err != nil {
		t.Fatal(err)
	}
	if rows != 2 || value != `{"value":"v \"ä\n"}` || kind != 0 || site != 0 {
		t.Errorf("%d rows, value %s, value_type %d, site_id %d", rows, value, kind, site)
	}
	if _, err := raw.Exec(`INSERT INTO params VALUES
('theirs', '{"value": "x"}', 0, 0, now() - interval '89 days', now()),
('old', '{"value": "x"}', 0, 0, now() - interval '91 days', now()),
('other', '{"value": "x"}', 0, 1, now(), now())`); err != nil {
		t.Fatal(err)
	}
	got, err := server.FindParams(t.Context(), []string{"k1", "k2", "theirs", "old", "other", "none"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"k1": "v \"ä\n", "k2": "", "theirs": "x"}, got); diff != "" {
		t.Errorf("parameters differ (-want +got):\n%s", diff)
	}
	if _, err := raw.Exec(`UPDATE params SET value = 'plain' WHERE key = 'theirs'`); err != nil {
		t.Fatal(err)
	}
	if _, err := server.FindParams(t.Context(), []string{"theirs"}); err == nil || !strings.Contains(err.Error(), `value of "theirs" in PostgreSQL`) {
		t.Errorf("a foreign value: error = %v", err)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	server, err := postgres.New(postgres.Options{Host: "127.0.0.1", Port: 1, User: "u", Database: "d", Password: secret.NewValue("hidden")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.FindParams(t.Context(), []string{"a"})
	if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), "connect to postgresql://u@127.0.0.1:1/d") {
		t.Errorf("error = %v", err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for want, options := range map[string]postgres.Options{
		"Parameter 'param_server.user' is required but not set":     {},
		"Parameter 'param_server.host' is required but not set":     {User: "u"},
		"Parameter 'param_server.database' is required but not set": {Host: "h", User: "u"},
		"sslmode": {Host: "h", User: "u", Database: "d", SSLMode: "wild"},
	} {
		if _, err := postgres.New(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%+v): %v, want %q", options, err, want)
		}
	}
}
