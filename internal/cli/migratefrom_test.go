package cli

import (
	"bytes"
	"crypto/md5" //nolint:gosec // Digdag's checksum
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/store/storetest/digdagtest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

const digdagKey = "MDEyMzQ1Njc4OWFiY2RlZg=="

// fillDigdag makes a project with an attempt that failed half-way, and one that runs.
func fillDigdag(t *testing.T, d *digdagtest.Database) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("hello from Digdag\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := archive.Pack(t.Context(), &packed, dir, archive.PackOptions{}); err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum(packed.Bytes()) //nolint:gosec // Digdag's checksum
	crypter, err := secret.NewCrypter(digdagKey)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := crypter.EncryptUnbound("pssst")
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, `INSERT INTO projects (id, site_id, name, created_at) VALUES (3, 0, 'my etl', now())`)
	d.Exec(t, `INSERT INTO revisions (id, project_id, name, archive_type, archive_md5, created_at) VALUES (5, 3, 'r one', 'db', $1, now())`, sum[:])
	d.Exec(t, `INSERT INTO revision_archives (id, archive_data) VALUES (5, $1)`, packed.Bytes())
	d.Exec(t, `INSERT INTO workflow_configs (id, project_id, config_digest, timezone, config) VALUES
(8, 3, 1, 'Asia/Tokyo', '{"schedule":{"daily>":"07:00:00"},"+a":{"echo>":"first"},"+b":{"sh>":"cat greeting.txt"},"+c":{"echo>":"${session_local_time} ${who}"}}')`)
	d.Exec(t, `INSERT INTO workflow_definitions (id, config_id, revision_id, name) VALUES (9, 8, 5, 'main')`)
	d.Exec(t, `INSERT INTO schedules (id, project_id, workflow_definition_id, next_run_time, next_schedule_time, created_at, updated_at, disabled_at)
VALUES (4, 3, 9, 4000000000, 4000000000, now(), now(), now())`)
	d.Exec(t, `INSERT INTO secrets (site_id, project_id, scope, engine, key, value, updated_at) VALUES (0, 3, 'project', 'aesgcm', 'pw', $1, now())`, sealed)
	d.Exec(t, `INSERT INTO sessions (id, project_id, workflow_name, session_time) VALUES (20, 3, 'main', 1704034800), (21, 3, 'main', 1704121200)`)
	d.Exec(t, `INSERT INTO session_attempts (id, session_id, site_id, project_id, attempt_name, workflow_definition_id, state_flags, timezone, params,
created_at, finished_at, index) VALUES (30, 20, 0, 3, '', 9, 2, 'Asia/Tokyo', '{"who":"me"}', now(), now(), 1),
(31, 21, 0, 3, 'once more', 9, 0, 'Asia/Tokyo', '{"who":"you","last_session_time":"x"}', now(), NULL, 1)`)
	d.Exec(t, `INSERT INTO task_archives (id, created_at, tasks) VALUES (30, now(), '[
{"id":100,"fullName":"+main","config":{"local":{},"export":{}},"taskType":1,"state":"group_error","stateFlags":8,"upstreams":[],"updatedAt":"2024-01-01T00:00:00Z"},
{"id":101,"parentId":100,"fullName":"+main+a","config":{"local":{"echo>":"first"},"export":{}},"taskType":0,"state":"success","stateFlags":8,"upstreams":[],"updatedAt":"2024-01-01T00:00:00Z"},
{"id":102,"parentId":100,"fullName":"+main+b","config":{"local":{"sh>":"cat"},"export":{}},"taskType":0,"state":"error","stateFlags":8,"upstreams":[101],"updatedAt":"2024-01-01T00:00:00Z","error":{"message":"no file"}},
{"id":103,"parentId":100,"fullName":"+main+c","config":{"local":{"echo>":"x"},"export":{}},"taskType":0,"state":"blocked","stateFlags":8,"upstreams":[102],"updatedAt":"2024-01-01T00:00:00Z"}]')`)
}

func digdagAddress(d *digdagtest.Database) string {
	o := d.Options
	u := url.URL{Scheme: "postgresql", User: url.UserPassword(o.User, o.Password), Host: fmt.Sprintf("%s:%d", o.Host, max(o.Port, 5432)), Path: "/" + o.Database}
	u.RawQuery = url.Values{"sslmode": {"disable"}, "search_path": {o.Schema}}.Encode()
	return u.String()
}

// After a migration a server goes on: attempts that had ended are shown and can be resumed, and those that ran are
// started again by the command in the report, with Digdag's files.
func TestMigrateFromDigdag(t *testing.T) {
	t.Parallel()
	d := digdagtest.Open(t)
	fillDigdag(t, d)
	c := newConsole(t)
	c.Write("server.properties", "digdag.secret-encryption-key = "+digdagKey+"\ndatabase.type = h2\ndatabase.path = "+filepath.Join(c.Dir, "db")+"\n")
	out := c.Run("migrate", "from-digdag", "-c", "server.properties", "--from-url", digdagAddress(d))
	if out.Exit != 0 {
		t.Fatalf("migrate from-digdag: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	for _, want := range []string{"attempts              1          1\n", "sessions              2          2\n", "The attempts have 4 tasks. 1 archive read again and compared: equal."} {
		if !strings.Contains(out.Stdout, want) {
			t.Errorf("report lacks %q", want)
		}
	}
	if strings.Contains(out.Stdout, "warning:") || !strings.Contains(out.Stderr, "attempts: 1 of 1\n") {
		t.Errorf("warnings or no progress:\n%s%s", out.Stdout, out.Stderr)
	}
	start := regexp.MustCompile(`(?m)^  trowel (start .*)$`).FindStringSubmatch(out.Stdout)
	const want = `start 'my etl' main --session '2024-01-02 00:00:00' --revision 'r one' --retry 'once more' -p who=you`
	if start == nil || start[1] != want {
		t.Fatalf("command %q, want %s", start, want)
	}

	s := servertest.Start(t, "database.path", filepath.Join(c.Dir, "db"), "digdag.secret-encryption-key", digdagKey)
	out = c.Run("tasks", "30", "--json", "-e", s.URL)
	if out.Exit != 0 || !strings.Contains(out.Stdout, "group_error") || !strings.Contains(out.Stdout, "no file") {
		t.Errorf("tasks 30: %s%s", out.Stdout, out.Stderr)
	}
	out = c.Run("start", "my etl", "main", "--session", "2024-01-02 00:00:00", "--revision", "r one", "--retry", "once more", "-p", "who=you", "-e", s.URL)
	again := startedAttempt(t, out)
	if !strings.Contains(out.Stdout, "session id: 21\n") {
		t.Errorf("start makes another session than Digdag's 21:\n%s", out.Stdout)
	}
	out = c.Run("retry", "30", "--latest-revision", "--resume", "-e", s.URL)
	resumed := startedAttempt(t, out)
	for _, attempt := range []string{again, resumed} {
		if got := s.Wait(attempt); got != "success" {
			t.Errorf("attempt %s ended as %s: %v\n%s", attempt, got, s.States(attempt), s.Log)
		}
	}
	out = c.Run("log", again, "-e", s.URL)
	if !strings.Contains(out.Stdout, "\nhello from Digdag\n") {
		t.Errorf("log: %s", out.Stdout)
	}
	if out = c.Run("log", resumed, "+main+a", "-e", s.URL); strings.Contains(out.Stdout, "first") {
		t.Errorf("a task that had succeeded ran again: %s", out.Stdout)
	}
	out = c.Run("migrate", "from-digdag", "-c", "server.properties", "--from-url", digdagAddress(d))
	if out.Exit != 1 || !strings.Contains(out.Stderr, "another server or run uses the database") {
		t.Errorf("migrate beside a server: exit %d, %s", out.Exit, out.Stderr)
	}
}

func startedAttempt(t *testing.T, out clitest.Outcome) string {
	t.Helper()
	id := regexp.MustCompile(`attempt id: (\d+)`).FindStringSubmatch(out.Stdout)
	if out.Exit != 0 || id == nil {
		t.Fatalf("start: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	return id[1]
}

// Both programs may share a PostgreSQL database: Digdag's tables stay in schema public, ours are in
// trowel. A second migration is refused, as are sources that cannot be read.
func TestMigrateInOneDatabase(t *testing.T) {
	t.Parallel()
	opts := pgtest.Start(t).Options()
	opts.Schema = "public"
	d := digdagtest.In(t, opts)
	fillDigdag(t, d)
	c := newConsole(t)
	c.Write("server.properties", settingsOf(opts)+"digdag.secret-encryption-key = AAAAAAAAAAAAAAAAAAAAAA==\n")
	out := c.Run("migrate", "from-digdag", "-c", "server.properties")
	if out.Exit != 0 || !strings.Contains(out.Stdout, "attempts              1          1\n") ||
		!strings.Contains(out.Stdout, `warning: secrets were copied as they are, since the settings of the target do not decrypt "pw" of project 3`) {
		t.Fatalf("migrate from-digdag: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	c.Write("digdag.properties", settingsOf(opts)+"archive.type = nonsense, but not about the database\n")
	out = c.Run("migrate", "from-digdag", "-c", "server.properties", "--from", "digdag.properties")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "error: copy from Digdag: the database has 1 projects already\nfix: name an empty database") {
		t.Errorf("second migration: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	out = c.Run("migrate", "from-digdag", "-o", "db", "--from", "digdag.properties", "--site", "4")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "site 4 has no projects; those that have are 0 (1 projects)") {
		t.Errorf("migration of a site that is not there: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	c.Write("h2.properties", "database.type = h2\ndatabase.path = x\n")
	out = c.Run("migrate", "from-digdag", "-o", "db", "--from", "h2.properties")
	if out.Exit != 1 || !strings.Contains(out.Stderr, `database.type is "h2": only a Digdag database in PostgreSQL can be copied`) {
		t.Errorf("migration of H2: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
}
