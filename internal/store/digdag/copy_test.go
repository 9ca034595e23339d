package digdag_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/store/storetest/digdagtest"
)

// Rows of all kinds are copied with their ids, in both databases (server chapter 6), and
// Digdag's stay as they were.
func TestCopy(t *testing.T) {
	t.Parallel()
	for name, open := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				d, db := digdagtest.Open(t), open(t)
				c := d.Fill(t, seed, 4)
				before := checksum(t, d)
				report := mustCopy(t, d, db, options())
				compare(t, db, c)
				compareReport(t, report, c)
				if after := checksum(t, d); after != before {
					t.Errorf("Digdag's database was changed")
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// checksum returns a checksum of all rows of a Digdag database.
func checksum(t *testing.T, d *digdagtest.Database) (sum string) {
	t.Helper()
	for _, table := range []string{"projects", "revisions", "revision_archives", "workflow_configs", "sessions", "session_attempts", "task_archives", "schedules"} {
		var one string
		query := fmt.Sprintf(`SELECT md5(string_agg(md5(r::text || r.xmax::text), '' ORDER BY r.id)) FROM (SELECT *, xmax FROM %s) r`, table)
		if err := d.DB.QueryRowContext(t.Context(), query).Scan(&one); err != nil {
			t.Fatal(err)
		}
		sum += one
	}
	return sum
}

func compareReport(t *testing.T, report *digdag.Report, c *digdagtest.Content) {
	t.Helper()
	got := map[string]int64{}
	for _, count := range report.Counts {
		if count.Source != count.Target {
			t.Errorf("%d %s in Digdag's database, %d copied", count.Source, count.Name, count.Target)
		}
		got[count.Name] = count.Target
	}
	delete(got, "definitions") // shared by revisions
	tasks := int64(0)
	for _, list := range c.Tasks {
		tasks += int64(len(list))
	}
	want := map[string]int64{
		"projects": int64(len(c.Projects)), "revisions": int64(len(c.Revisions)), "archives": int64(len(c.Archives)),
		"workflows": int64(len(c.Workflows)), "schedules": int64(len(c.Schedules)), "secrets": int64(len(c.Secrets)),
		"sessions": int64(len(c.Sessions)), "attempts": int64(len(c.Attempts)),
	}
	if diff := cmp.Diff(want, got); diff != "" || report.Tasks != tasks || report.ComparedArchives != len(c.Archives) {
		t.Errorf("report of %d tasks, %d archives compared, want %d, %d; counts (-want +got):\n%s",
			report.Tasks, report.ComparedArchives, tasks, len(c.Archives), diff)
	}
	var running []trowel.AttemptID
	for _, r := range report.Running {
		running = append(running, trowel.AttemptID(r.Attempt))
	}
	equal(t, "running attempts", c.Running, running)
	equal(t, "other sites", []digdag.Site{{ID: 7, Projects: 2, Attempts: 1}}, report.OtherSites)
	if len(report.Warnings) > 0 {
		t.Errorf("warnings: %q", report.Warnings)
	}
}

// Rows that are made after a copy get ids that Digdag never gave, not even to running attempts or deleted
// rows. A session whose attempt was running keeps its id.
func TestNewIDs(t *testing.T) {
	t.Parallel()
	for name, open := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db := digdagtest.Open(t), open(t)
			c := d.Fill(t, 5, 1)
			w := c.Workflows[0]
			project := c.Revisions[0].ProjectID
			d.Exec(t, `INSERT INTO sessions (id, project_id, workflow_name, session_time, session_uuid)
VALUES (1500000, $1, $2, 1800000000, '11111111-2222-3333-4444-555555555555')`, project, w.Name)
			d.Exec(t, `INSERT INTO session_attempts (id, session_id, site_id, project_id, attempt_name, workflow_definition_id, state_flags, timezone,
created_at, index) VALUES (3000000, 1500000, 0, $1, '', $2, 0, 'UTC', now(), 1)`, project, w.ID)
			d.Exec(t, `SELECT setval('schedules_id_seq', 800000), setval('session_attempts_id_seq', 4000000), setval('tasks_id_seq', 5000000)`)
			mustCopy(t, d, db, options())

			s := &trowel.Session{ProjectID: project, Workflow: w.Name, Time: time.Unix(1800000000, 0).UTC(), UUID: "other"}
			a := &trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", CreatedAt: time.Unix(1, 0)}
			other := &trowel.Session{ProjectID: project, Workflow: w.Name, Time: time.Unix(1900000000, 0).UTC(), UUID: "other"}
			b := &trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", CreatedAt: time.Unix(1, 0)}
			p, r := &trowel.Project{Name: "new", CreatedAt: time.Unix(1, 0)}, &trowel.Revision{Name: "r", CreatedAt: time.Unix(1, 0)}
			schedule := &trowel.Schedule{Workflow: "x", NextRunAt: time.Unix(1, 0), NextSessionAt: time.Unix(1, 0), CreatedAt: time.Unix(1, 0), UpdatedAt: time.Unix(1, 0)}
			var task trowel.TaskID
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				x := &trowel.Workflow{Name: "x", Zone: w.Zone, Definition: w.Definition}
				if err := tx.InsertRevision(t.Context(), p, r, []*trowel.Workflow{x}); err != nil {
					return err
				}
				schedule.ProjectID, schedule.WorkflowID = p.ID, x.ID
				err := errors.Join(tx.InsertSchedule(t.Context(), schedule), tx.InsertAttempt(t.Context(), s, a), tx.InsertAttempt(t.Context(), other, b))
				if err != nil {
					return err
				}
				task, err = tx.ReserveTaskIDs(t.Context(), 10)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if s.ID != 1500000 || s.UUID != "11111111-2222-3333-4444-555555555555" || a.Index != 1 {
				t.Errorf("session of a running attempt: id %d, uuid %s, index %d, want those of Digdag", s.ID, s.UUID, a.Index)
			}
			if a.ID <= 4000000 || other.ID <= 1500000 || schedule.ID <= 800000 || task <= 5000000 || r.ID <= c.Revisions[len(c.Revisions)-1].ID || p.ID <= c.Projects[len(c.Projects)-1].ID {
				t.Errorf("new ids: attempt %d, session %d, schedule %d, task %d, revision %d, project %d, want larger than Digdag's",
					a.ID, other.ID, schedule.ID, task, r.ID, p.ID)
			}
		})
	}
}

// A push of a definition that Digdag had stored shares that one.
func TestDefinitionsAreShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trowel.db")
	d, db := digdagtest.Open(t), openFile(t, path)
	c := d.Fill(t, 8, 0)
	mustCopy(t, d, db, options())
	before := countConfigs(t, path)
	last := c.Workflows[len(c.Workflows)-1]
	err := db.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertRevision(t.Context(), &trowel.Project{Name: c.Projects[len(c.Projects)-1].Name, CreatedAt: time.Unix(1, 0)}, &trowel.Revision{Name: "next", CreatedAt: time.Unix(1, 0)},
			[]*trowel.Workflow{{Name: last.Name, Zone: last.Zone, Definition: last.Definition.Clone()}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := countConfigs(t, path); after != before {
		t.Errorf("%d definitions after a push of a known one, %d before", after, before)
	}
}

func countConfigs(t *testing.T, path string) (n int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		err = db.QueryRowContext(t.Context(), "SELECT count(*) FROM workflow_config").Scan(&n)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Unusual rows in Digdag's database are reported, and do not stop the copy.
func TestWarnings(t *testing.T) {
	t.Parallel()
	d, db := digdagtest.Open(t), openSQLite(t)
	d.Exec(t, `INSERT INTO projects (id, site_id, name, created_at) VALUES (1, 0, 'p', now())`)
	d.Exec(t, `INSERT INTO revisions (id, project_id, name, archive_type, archive_path, archive_md5, created_at) VALUES
(1, 1, 'wrong sum', 'db', NULL, '0123456789abcdef', now()), (2, 1, 'no data', 'db', NULL, NULL, now()), (3, 1, 'elsewhere', 'gcs', 'a/b', NULL, now()),
(4, 1, 'outside', 's3', 'other/c', NULL, now())`)
	d.Exec(t, `INSERT INTO revision_archives (id, archive_data) VALUES (1, 'data')`)
	d.Exec(t, `INSERT INTO workflow_configs (id, project_id, config_digest, timezone, config) VALUES (1, 1, 1, 'UTC', '{}')`)
	d.Exec(t, `INSERT INTO workflow_definitions (id, config_id, revision_id, name) VALUES (1, 1, 1, 'w')`)
	d.Exec(t, `INSERT INTO sessions (id, project_id, workflow_name, session_time) VALUES (1, 1, 'w', 1), (2, 1, 'w', 2), (3, 1, 'w', 3), (4, 1, 'w', 4)`)
	d.Exec(t, `INSERT INTO session_attempts (id, session_id, site_id, project_id, attempt_name, workflow_definition_id, state_flags, timezone,
created_at, index) VALUES (1, 1, 0, 1, '', 1, 6, 'UTC', to_timestamp(5), 1), (2, 2, 0, 1, '', NULL, 6, 'UTC', now(), 1), (3, 3, 0, 1, '', 1, 2, 'UTC', now(), 1),
(4, 4, 0, 1, '', 1, 0, 'UTC', now(), 1)`)
	d.Exec(t, `INSERT INTO task_archives (id, tasks, created_at) VALUES (3, '[{"id":1,"state":"dreaming"}]', now())`)
	d.Exec(t, `INSERT INTO delayed_session_attempts (id, next_run_time, updated_at) VALUES (4, 1, now())`)
	d.Exec(t, `INSERT INTO secrets (site_id, project_id, scope, engine, key, value, updated_at) VALUES (0, 1, 'project', 'disabled', 'a', 'x', now()),
(0, 1, 'project', 'aesgcm', 'b', 'y', now()), (0, 1, 'project', 'aesgcm', 'c', 'y', now())`)
	d.Exec(t, `INSERT INTO queued_task_locks (priority, lock_expire_time) VALUES (0, 4000000000), (0, 5), (0, NULL)`)
	opts := options()
	opts.Rebind = func(*trowel.Secret) error { return errors.New("no key fits") }
	report := mustCopy(t, d, db, opts)
	want := []string{
		"its agents hold 1 tasks", "1 attempts belong to no stored workflow", `revision "no data" of project 1 has no archive`,
		`"other/c" of revision "outside" is not below archive.s3.path = "some/folder/"`, `revision "wrong sum" of project 1 was not what its MD5 says`,
		`do not decrypt "b" of project 1: no key fits`, "1 secrets were stored by another engine",
		`attempt 3 was copied without its tasks: task number 1: state "dreaming" is not known`,
	}
	if len(report.Warnings) != len(want) {
		t.Errorf("%d warnings, want %d: %q", len(report.Warnings), len(want), report.Warnings)
	}
	for i, text := range want {
		if i < len(report.Warnings) && !strings.Contains(report.Warnings[i], text) {
			t.Errorf("warning %q, want %q in it", report.Warnings[i], text)
		}
	}
	equal(t, "archives elsewhere", map[string]int64{"gcs": 1, "s3": 1}, report.Elsewhere)
	if len(report.Running) != 1 || !report.Running[0].Waiting || report.Running[0].Project != "p" || report.Running[0].Revision != "wrong sum" {
		t.Errorf("running attempts %+v, want the delayed one", report.Running)
	}
	view(t, db, func(tx trowel.Tx) error {
		a, err := tx.FindAttempt(t.Context(), 1) // without tasks and end
		if err != nil || !a.FinishedAt.Equal(time.Unix(5, 0)) {
			t.Errorf("attempt 1 = %+v, %v, want it to end when it began", a, err)
		}
		for id := range trowel.AttemptID(2) {
			tasks, err := tx.ListArchivedTasks(t.Context(), 1+2*id)
			if err != nil || len(tasks) != 0 {
				t.Errorf("tasks of attempt %d = %v, %v, want none", 1+2*id, tasks, err)
			}
		}
		return nil
	})
}

// A target with projects is refused, so a copy cannot be made twice. A copy that fails leaves nothing
// behind, so it can be repeated.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, open := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db := digdagtest.Open(t), open(t)
			c := d.Fill(t, 6, 1)
			broken := options()
			broken.Archives = archives{change: func(data []byte) []byte { return append(data, 'x') }}
			_, err := digdag.Copy(t.Context(), openSource(t, d), db, broken)
			if !errors.Is(err, trowel.ErrConflict) || !strings.Contains(err.Error(), "is not what Digdag's database has; nothing was kept") {
				t.Errorf("Copy with changed archives = %v, want a conflict", err)
			}
			stopped, cancel := context.WithCancel(t.Context())
			broken = options()
			broken.Progress = func(p digdag.Progress) {
				if p.Name == "attempts" {
					cancel()
				}
			}
			if _, err := digdag.Copy(stopped, openSource(t, d), db, broken); !errors.Is(err, context.Canceled) {
				t.Errorf("Copy with a canceled context = %v", err)
			}
			mustCopy(t, d, db, options())
			compare(t, db, c)
			_, err = digdag.Copy(t.Context(), openSource(t, d), db, options())
			if !errors.Is(err, trowel.ErrConflict) || !strings.Contains(err.Error(), "projects already") {
				t.Errorf("second Copy = %v, want a conflict", err)
			}
			compare(t, db, c)
		})
	}
}

// Only the rows of one site are copied.
func TestSites(t *testing.T) {
	t.Parallel()
	d := digdagtest.Open(t)
	d.Fill(t, 7, 1)
	opts := options()
	opts.Site = 7
	db := openSQLite(t)
	report := mustCopy(t, d, db, opts)
	if len(report.OtherSites) != 1 || report.OtherSites[0].ID != 0 {
		t.Errorf("other sites %+v, want site 0", report.OtherSites)
	}
	view(t, db, func(tx trowel.Tx) error {
		list, err := tx.ListProjects(t.Context(), trowel.ProjectFilter{Limit: -1})
		if len(list) != 1 || list[0].Project.Name != "etl" || list[0].Project.ID != 1000000 {
			t.Errorf("projects of site 7: %+v", list)
		}
		return err
	})
	opts.Site = 1
	_, err := digdag.Copy(t.Context(), openSource(t, d), openSQLite(t), opts)
	if !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(err.Error(), "site 1 has no projects; those that have are 0 (11 projects), 7 (2 projects)") {
		t.Errorf("Copy of a site without projects = %v", err)
	}
}

// An empty database is copied.
func TestEmpty(t *testing.T) {
	t.Parallel()
	report := mustCopy(t, digdagtest.Open(t), openSQLite(t), options())
	if len(report.Counts) != 9 || len(report.Warnings)+len(report.OtherSites)+len(report.Running) != 0 {
		t.Errorf("report %+v, want nothing but counts", report)
	}
}

// Databases of unknown versions of Digdag are refused, with the version that is known.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, change, message string }{
		{"newer", `INSERT INTO schema_migrations (name, created_at) VALUES ('20991231000000', now())`, "version 20991231000000; known is 20221021035534"},
		{"older", `DELETE FROM schema_migrations WHERE name = '20221021035534'`, `version "20160602123456"; known is 20221021035534`},
		{"no migrations", `DELETE FROM schema_migrations`, `version ""; known is 20221021035534`},
		{"not Digdag", `DROP TABLE schema_migrations`, "has no tables of Digdag"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := digdagtest.Open(t)
			d.Exec(t, row.change)
			_, err := digdag.Open(t.Context(), d.Options)
			if known, ok := errors.AsType[*trowel.Error](err); !ok || known.Hint == "" || !strings.Contains(err.Error(), row.message) {
				t.Errorf("Open = %v, want %q in it and a hint", err, row.message)
			}
		})
	}
}

// A running attempt is reported with what is needed to start it again.
func TestRunningParams(t *testing.T) {
	t.Parallel()
	d := digdagtest.Open(t)
	c := d.Fill(t, 11, 3)
	if len(c.Running) == 0 {
		t.Fatal("no attempt is running")
	}
	d.Exec(t, `UPDATE session_attempts SET params = '{"a":"b"}' WHERE id = $1`, c.Running[0])
	report := mustCopy(t, d, openSQLite(t), options())
	equal(t, "parameters of a running attempt", param.Of("a", "b"), report.Running[0].Params)
}
