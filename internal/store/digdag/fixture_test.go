package digdag_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest/digdagtest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// backends open empty stores of each kind.
func backends() map[string]func(t *testing.T) *store.DB {
	return map[string]func(t *testing.T) *store.DB{
		"SQLite": openSQLite, "PostgreSQL": func(t *testing.T) *store.DB { t.Helper(); return pgtest.Open(t) },
	}
}

func openSQLite(t *testing.T) *store.DB {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "trowel.db"))
}

func openFile(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// archives stores archives as a server does.
type archives struct {
	change func(data []byte) []byte // changes what is read; nil for no change
}

func (archives) Put(ctx context.Context, tx trowel.Tx, key string, data []byte) error {
	return blobdb.New(inside{tx}).Put(ctx, key, bytes.NewReader(data), int64(len(data)))
}

func (a archives) Get(ctx context.Context, tx trowel.Tx, key string) ([]byte, error) {
	r, err := blobdb.New(inside{tx}).Open(ctx, key, 0, -1)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if a.change != nil {
		data = a.change(data)
	}
	return data, err
}

type inside struct{ tx trowel.Tx }

func (d inside) Update(_ context.Context, f func(trowel.Tx) error) error { return f(d.tx) }
func (d inside) View(_ context.Context, f func(trowel.Tx) error) error   { return f(d.tx) }

func options() digdag.Options {
	return digdag.Options{Archives: archives{}, KeyPrefixes: map[string]string{"s3": "some/folder/"}, Now: time.Now()}
}

func openSource(t *testing.T, d *digdagtest.Database) *digdag.Source {
	t.Helper()
	source, err := digdag.Open(t.Context(), d.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return source
}

func mustCopy(t *testing.T, d *digdagtest.Database, db *store.DB, opts digdag.Options) *digdag.Report {
	t.Helper()
	report, err := digdag.Copy(t.Context(), openSource(t, d), db, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func view(t *testing.T, db trowel.Store, f func(tx trowel.Tx) error) {
	t.Helper()
	if err := db.View(t.Context(), f); err != nil {
		t.Error(err)
	}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	same := cmp.Comparer(func(a, b *param.Map) bool { return a.Len()+b.Len() == 0 || param.Equal(a, b) })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("%s (-Digdag +copied):\n%.4000s", what, diff)
	}
}

// compare checks that a store has the content of a Digdag database.
func compare(t *testing.T, db trowel.Store, c *digdagtest.Content) {
	t.Helper()
	ctx := t.Context()
	view(t, db, func(tx trowel.Tx) error {
		compareProjects(ctx, t, tx, c)
		for _, r := range c.Revisions {
			got, err := tx.FindRevision(ctx, r.ProjectID, r.Name)
			if err != nil {
				return err
			}
			equal(t, "revision", r, got)
			data, known := c.Archives[r.ID]
			if !known {
				continue
			}
			copied, err := archives{}.Get(ctx, tx, got.Archive.Key)
			if err != nil || !bytes.Equal(copied, data) {
				t.Errorf("archive of revision %d is not what it was, %v", r.ID, err)
			}
		}
		for _, w := range c.Workflows {
			got, err := tx.FindDefinition(ctx, w.ID)
			if err != nil {
				return err
			}
			equal(t, "workflow", w, &got.Workflow)
		}
		schedules, err := tx.ListSchedules(ctx, trowel.ScheduleFilter{Limit: -1})
		if err != nil {
			return err
		}
		var got []*trowel.Schedule
		for _, s := range schedules {
			got = append(got, &s.Schedule)
		}
		slices.SortFunc(c.Schedules, func(a, b *trowel.Schedule) int { return int(a.ID - b.ID) })
		equal(t, "schedules", c.Schedules, got)
		return compareSessions(ctx, t, tx, c)
	})
}

func compareProjects(ctx context.Context, t *testing.T, tx trowel.Tx, c *digdagtest.Content) {
	t.Helper()
	for _, p := range c.Projects {
		got, err := tx.FindProjectByID(ctx, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "project", p, got)
		var want, secrets []*trowel.Secret
		for _, s := range c.Secrets {
			if s.ProjectID == p.ID {
				want = append(want, s)
			}
		}
		for _, scope := range []string{trowel.SecretDefault, trowel.SecretProject} {
			list, err := tx.ListSecrets(ctx, p.ID, scope)
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, list...)
		}
		equal(t, "secrets", want, secrets)
		newest, err := tx.FindRevision(ctx, p.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		last := slices.MaxFunc(slices.DeleteFunc(slices.Clone(c.Revisions), func(r *trowel.Revision) bool { return r.ProjectID != p.ID }),
			func(a, b *trowel.Revision) int { return int(a.ID - b.ID) })
		equal(t, "newest revision", last, newest)
	}
}

func compareSessions(ctx context.Context, t *testing.T, tx trowel.Tx, c *digdagtest.Content) error {
	t.Helper()
	for _, a := range c.Attempts {
		got, err := tx.FindAttempt(ctx, a.ID)
		if err != nil {
			return err
		}
		equal(t, "attempt", a, got)
		tasks, err := tx.ListArchivedTasks(ctx, a.ID)
		if err != nil {
			return err
		}
		equal(t, "tasks", c.Tasks[a.ID], tasks)
	}
	shown := 0
	for _, s := range c.Sessions {
		if c.LastAttempt[s.ID] == 0 {
			continue // lists show sessions with attempts alone
		}
		shown++
		got, err := tx.FindSession(ctx, s.ID)
		if err != nil {
			return err
		}
		equal(t, "session", s, &got.Session)
		equal(t, "last attempt of a session", c.LastAttempt[s.ID], got.Attempt.ID)
	}
	sessions, err := tx.ListSessions(ctx, trowel.SessionFilter{Limit: -1})
	equal(t, "number of sessions with attempts", shown, len(sessions))
	return err
}
