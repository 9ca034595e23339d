package digdagtest

import (
	"crypto/md5" //nolint:gosec // Digdag's checksum
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Content is what a Digdag database has in site 0, in the form that a store has after a migration. Ids are Digdag's,
// and have gaps.
type Content struct {
	Projects  []*trowel.Project
	Revisions []*trowel.Revision
	Archives  map[trowel.RevisionID][]byte // those in the database
	Workflows []*trowel.Workflow
	Schedules []*trowel.Schedule
	Secrets   []*trowel.Secret // of projects that are not deleted
	Sessions  []*trowel.Session
	Attempts  []*trowel.Attempt // those that have ended
	Tasks     map[trowel.AttemptID][]*trowel.Task
	Running   []trowel.AttemptID
	// LastAttempt is the last ended attempt of each session. Zero if none has ended.
	LastAttempt map[trowel.SessionID]trowel.AttemptID

	random *rand.Rand
	ids    int64
}

// names returns unusual names of all kinds.
func names() []string {
	return []string{
		"etl", "with blank", "quote ' and \"", "100%", "a,b=c", "\u00e4\u4e16\U0001F600", "back\\slash", "$(dollar)`tick`", "semi;colon", "%s{0}",
	}
}

// rich returns a map with a value of each kind.
func rich() *param.Map {
	return param.Of(
		"z", "text with \"quotes\", \\ and \u00e4\u4e16\U0001F600", "a", int64(1)<<60, "float", 1.5, "no", nil, "yes", true,
		"list", param.List{int64(1), "two", param.Of("three", 3), param.List{}}, "empty", param.New(), "lines", "a\nb\tc\r\n", "nul", "a\x00b",
	)
}

// Fill writes rows of all kinds, with so many sessions for each workflow, and returns them.
func (d *Database) Fill(tb testing.TB, seed uint64, sessions int) *Content {
	tb.Helper()
	c := &Content{
		Archives: map[trowel.RevisionID][]byte{}, Tasks: map[trowel.AttemptID][]*trowel.Task{},
		LastAttempt: map[trowel.SessionID]trowel.AttemptID{}, random: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // a test
	}
	f := &filler{Database: d, Content: c}
	f.otherSite(tb)
	for i, name := range names() {
		f.project(tb, name, i == 3 || i == 7, sessions)
	}
	f.project(tb, names()[3], false, sessions) // a deleted project has this name as well
	return c
}

// filler is one call of Fill.
type filler struct {
	*Database
	*Content
}

func (c *Content) id() int64 {
	c.ids += 1 + c.random.Int64N(4)
	return c.ids
}

func (c *Content) chance(oneIn int) bool { return c.random.IntN(oneIn) == 0 }

// at returns an instant with microseconds, a different one at each call.
func (c *Content) at() time.Time {
	return time.UnixMicro(1705276800_000000 + c.random.Int64N(1e12)).UTC()
}

// params returns parameters, which are sometimes empty.
func (c *Content) params() *param.Map {
	if c.chance(3) {
		return param.New()
	}
	m := rich()
	m.Set("n", c.random.Int64())
	return m
}

// object returns a JSON column. An empty object becomes NULL.
func object(m *param.Map) any {
	if m.Len() == 0 {
		return nil
	}
	return param.JSON(m)
}

// otherSite makes rows that must not be copied.
func (f *filler) otherSite(tb testing.TB) {
	tb.Helper()
	f.Exec(tb, `INSERT INTO projects (id, site_id, name, created_at) VALUES (1000000, 7, 'etl', now()), (1000001, 7, 'more', now())`)
	f.Exec(tb, `INSERT INTO revisions (id, project_id, name, archive_type, created_at) VALUES (1000000, 1000000, 'r', 'db', now())`)
	f.Exec(tb, `INSERT INTO revision_archives (id, archive_data) VALUES (1000000, 'x')`)
	f.Exec(tb, `INSERT INTO workflow_configs (id, project_id, config_digest, timezone, config) VALUES (1000000, 1000000, 1, 'UTC', '{}')`)
	f.Exec(tb, `INSERT INTO workflow_definitions (id, config_id, revision_id, name) VALUES (1000000, 1000000, 1000000, 'w')`)
	f.Exec(tb, `INSERT INTO schedules (id, project_id, workflow_definition_id, next_run_time, next_schedule_time, created_at, updated_at)
VALUES (1000000, 1000000, 1000000, 1, 1, now(), now())`)
	f.Exec(tb, `INSERT INTO sessions (id, project_id, workflow_name, session_time) VALUES (1000000, 1000000, 'w', 1)`)
	f.Exec(tb, `INSERT INTO session_attempts (id, session_id, site_id, project_id, attempt_name, workflow_definition_id, state_flags, timezone,
created_at, index) VALUES (2000000, 1000000, 7, 1000000, '', 1000000, 6, 'UTC', now(), 1)`)
	f.Exec(tb, `INSERT INTO secrets (site_id, project_id, scope, engine, key, value, updated_at) VALUES (7, 1000000, 'project', 'aesgcm', 'k', 'v', now())`)
}

func (f *filler) project(tb testing.TB, name string, deleted bool, sessions int) {
	tb.Helper()
	p := &trowel.Project{ID: trowel.ProjectID(f.id()), Name: name, CreatedAt: f.at()}
	if deleted {
		p.DeletedAt = f.at()
		f.Exec(tb, `INSERT INTO projects (id, site_id, created_at, deleted_at, deleted_name) VALUES ($1, 0, $2, $3, $4)`, p.ID, p.CreatedAt, p.DeletedAt, name)
	} else {
		f.Exec(tb, `INSERT INTO projects (id, site_id, name, created_at) VALUES ($1, 0, $2, $3)`, p.ID, name, p.CreatedAt)
	}
	f.Projects = append(f.Projects, p)
	var last []*trowel.Workflow
	for i := range 1 + f.random.IntN(4) {
		last = f.revision(tb, p, i, last)
	}
	for _, w := range last {
		if !deleted {
			f.schedule(tb, p, w)
		}
		for i := range sessions {
			f.session(tb, p, w, i)
		}
	}
	f.secrets(tb, p, deleted)
}

// revision makes a revision of the same workflows as the one before, some of them unchanged.
func (f *filler) revision(tb testing.TB, p *trowel.Project, number int, before []*trowel.Workflow) []*trowel.Workflow {
	tb.Helper()
	r := &trowel.Revision{
		ID: trowel.RevisionID(f.id()), ProjectID: p.ID, Name: fmt.Sprintf("%s %d", names()[number], number),
		Params: f.params(), UserInfo: f.params(), CreatedAt: f.at(),
	}
	data := make([]byte, f.random.IntN(400_000))
	for i := range data {
		data[i] = byte(f.random.Uint32())
	}
	sum := md5.Sum(data) //nolint:gosec // Digdag's checksum
	r.Archive.MD5 = sum[:]
	path := any(nil)
	switch f.random.IntN(5) {
	case 0:
		r.Archive.Type, r.Archive.Key, r.Archive.SizeBytes = "s3", fmt.Sprintf("0/%d.tar.gz", r.ID), -1
		path = "some/folder/" + r.Archive.Key
	case 1:
		r.Archive = trowel.Archive{Type: "none"}
	default:
		r.Archive.Type, r.Archive.Key, r.Archive.SizeBytes = "db", fmt.Sprintf("digdag/%d/%d.tar.gz", p.ID, r.ID), int64(len(data))
		f.Archives[r.ID] = data
	}
	f.Exec(tb, `INSERT INTO revisions (id, project_id, name, default_params, archive_type, archive_path, archive_md5, created_at, user_info)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		r.ID, p.ID, r.Name, object(r.Params), r.Archive.Type, path, r.Archive.MD5, r.CreatedAt, object(r.UserInfo))
	if stored := f.Archives[r.ID]; stored != nil {
		f.Exec(tb, `INSERT INTO revision_archives (id, archive_data) VALUES ($1, $2)`, r.ID, stored)
	}
	f.Revisions = append(f.Revisions, r)
	var list []*trowel.Workflow
	for i := range 2 {
		w := &trowel.Workflow{ID: trowel.WorkflowID(f.id()), RevisionID: r.ID, Name: fmt.Sprintf("%s%d", names()[f.ids%7], i), Zone: "Asia/Tokyo", Definition: f.params()}
		var config int64
		if i < len(before) {
			w.Name = before[i].Name
		}
		if i < len(before) && f.chance(2) { // the definition of the revision before
			w.Zone, w.Definition = before[i].Zone, before[i].Definition
			config = f.config(tb, before[i].ID)
		} else {
			config = f.id()
			f.Exec(tb, `INSERT INTO workflow_configs (id, project_id, config_digest, timezone, config) VALUES ($1, $2, $3, $4, $5)`,
				config, p.ID, f.random.Int64(), w.Zone, param.JSON(w.Definition))
		}
		f.Exec(tb, `INSERT INTO workflow_definitions (id, config_id, revision_id, name) VALUES ($1, $2, $3, $4)`, w.ID, config, r.ID, w.Name)
		f.Workflows = append(f.Workflows, w)
		list = append(list, w)
	}
	return list
}

func (f *filler) config(tb testing.TB, workflow trowel.WorkflowID) (id int64) {
	tb.Helper()
	if err := f.DB.QueryRowContext(tb.Context(), `SELECT config_id FROM workflow_definitions WHERE id = $1`, workflow).Scan(&id); err != nil {
		tb.Fatal(err)
	}
	return id
}

func (f *filler) schedule(tb testing.TB, p *trowel.Project, w *trowel.Workflow) {
	tb.Helper()
	s := &trowel.Schedule{
		ID: trowel.ScheduleID(f.id()), ProjectID: p.ID, Workflow: w.Name, WorkflowID: w.ID, CreatedAt: f.at(), UpdatedAt: f.at(),
		NextRunAt: f.at().Truncate(time.Second), NextSessionAt: f.at().Truncate(time.Second),
	}
	if f.chance(4) {
		s.NextRunAt, s.NextSessionAt = trowel.ScheduleEnded(), trowel.ScheduleEnded()
	}
	var last, disabled any
	if f.chance(2) {
		s.LastSessionAt = f.at().Truncate(time.Second)
		last = s.LastSessionAt.Unix()
	}
	if f.chance(2) {
		s.DisabledAt = f.at()
		disabled = s.DisabledAt
	}
	f.Exec(tb, `INSERT INTO schedules (id, project_id, workflow_definition_id, next_run_time, next_schedule_time, last_session_time, created_at,
updated_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.ID, p.ID, w.ID, s.NextRunAt.Unix(), s.NextSessionAt.Unix(), last, s.CreatedAt, s.UpdatedAt, disabled)
	f.Schedules = append(f.Schedules, s)
}

func (f *filler) secrets(tb testing.TB, p *trowel.Project, deleted bool) {
	tb.Helper()
	for _, scope := range []string{trowel.SecretDefault, trowel.SecretProject} {
		for _, key := range []string{"aws.key", "pw"} {
			s := &trowel.Secret{ProjectID: p.ID, Scope: scope, Key: key, Engine: "aesgcm", Value: fmt.Sprintf("sealed %d", f.id()), UpdatedAt: f.at()}
			f.Exec(tb, `INSERT INTO secrets (site_id, project_id, scope, engine, key, value, updated_at) VALUES (0, $1, $2, $3, $4, $5, $6)`,
				p.ID, scope, s.Engine, key, s.Value, s.UpdatedAt)
			if !deleted {
				f.Secrets = append(f.Secrets, s)
			}
		}
	}
}
