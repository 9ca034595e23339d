package retention_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// now is when all passes are, and day the length of time in which attempts are made and kept.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func openSQLite(t *testing.T) trowel.Store {
	t.Helper()
	db := trowtest.FileStore(t)
	return db
}

func options(db trowel.Store) retention.Options {
	return retention.Options{
		Store: db, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Keep: 30 * day, KeepValues: 90 * day,
	}
}

func update(t *testing.T, db trowel.Store, f func(ctx context.Context, tx trowel.Tx) error) {
	t.Helper()
	trowtest.Update(t, db, func(tx trowel.Tx) error { return f(t.Context(), tx) })
}

// project stores a project with one workflow and returns its workflow.
func project(t *testing.T, db trowel.Store, name string) (*trowel.Project, *trowel.Workflow) {
	t.Helper()
	p := trowtest.NewProject(t, name, map[string]string{"w": "+a: {}"})
	p.Revision.Name = "r"
	p.CreatedAt, p.Revision.CreatedAt = now.Add(-400*day), now.Add(-400*day)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return p.Insert(ctx, tx) })
	return &p.Project, p.Workflows["w"]
}

// fill stores n attempts of ten workflows, one an hour, the oldest first; each tenth one runs.
func fill(t *testing.T, db trowel.Store, n int) {
	t.Helper()
	p, w := project(t, db, "p")
	from := now.Add(-time.Duration(n) * time.Hour)
	for some := range slices.Chunk(slices.Collect(upTo(n)), 1000) {
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			ids, err := tx.ReserveTaskIDs(ctx, n)
			for _, i := range some {
				if err == nil {
					err = insert(ctx, tx, p, w, i, from.Add(time.Duration(i)*time.Hour), ids+trowel.TaskID(i))
				}
			}
			return err
		})
	}
}

func upTo(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func insert(ctx context.Context, tx trowel.Tx, p *trowel.Project, w *trowel.Workflow, i int, at time.Time, task trowel.TaskID) error {
	s := &trowel.Session{ProjectID: p.ID, Workflow: fmt.Sprint("w", i%7), Time: at, UUID: fmt.Sprint(i)}
	a := &trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", Cause: "schedule", CreatedAt: at}
	if err := tx.InsertAttempt(ctx, s, a); err != nil {
		return err
	}
	row := &trowel.Task{ID: task, AttemptID: a.ID, FullName: "+w", State: trowel.TaskRunning, Local: param.New(), UpdatedAt: at, Version: 1}
	err := errors.Join(
		tx.InsertTries(ctx, []trowel.Try{{AttemptID: a.ID, TaskID: task, Number: 1, FullName: "+w", EndedAt: at, Exit: trowel.ExitSuccess}}),
		tx.InsertAudits(ctx, []trowel.AuditEntry{{At: at, AttemptID: a.ID, TaskID: task, Batch: 1, To: "running", Cause: "claim"}}),
		tx.InsertLogChunks(ctx, []trowel.LogChunk{{AttemptID: a.ID, File: "+w@1.log.gz", TextBytes: 1, DataBytes: 1, Data: []byte("x")}}),
	)
	if err != nil || i%10 == 0 {
		return errors.Join(err, tx.InsertTasks(ctx, []*trowel.Task{row}))
	}
	a.Flags, a.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, at.Add(time.Minute)
	return errors.Join(tx.ArchiveTasks(ctx, at, trowel.EndedTasks{AttemptID: a.ID, Tasks: []*trowel.Task{row}}), tx.UpdateAttempts(ctx, a))
}

// left returns the ended attempts that are left, and the running ones with their tasks.
func left(t *testing.T, db trowel.Store) (ended, running int) {
	t.Helper()
	err := db.View(t.Context(), func(tx trowel.Tx) error {
		all, err := tx.ListAttempts(t.Context(), trowel.AttemptFilter{Limit: -1})
		for _, a := range all {
			session, errSession := tx.FindSession(t.Context(), a.Session.ID)
			if errSession == nil && session.Attempt.ID != a.Attempt.ID {
				errSession = fmt.Errorf("session %d has another last attempt", a.Session.ID)
			}
			var errTasks error
			if a.Attempt.FinishedAt.IsZero() {
				running++
				var live []*trowel.Task
				if live, errTasks = tx.ListTasks(t.Context(), a.Attempt.ID, -1); len(live) != 1 {
					t.Errorf("attempt %d runs and has %d tasks, want 1", a.Attempt.ID, len(live))
				}
			} else {
				ended++
				_, errTasks = tx.ListArchivedTasks(t.Context(), a.Attempt.ID)
			}
			err = errors.Join(err, errSession, errTasks)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ended, running
}

// Of 10,000 attempts those go that ended 30 days ago, whatever goes wrong on the way; running ones never
// do. The figures are those of one attempt an hour for n hours.
func TestCleanManyAttempts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		open func(t *testing.T) trowel.Store
		n    int
	}{
		{"SQLite", openSQLite, 10000},
		{"PostgreSQL", func(t *testing.T) trowel.Store { t.Helper(); return pgtest.Open(t) }, 1500},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			db := row.open(t)
			fill(t, db, row.n)
			young := 30 * 24
			old := row.n - young
			opts := options(db)
			var logs int
			opts.DeleteLogs = func(context.Context, trowel.AttemptID) error { logs++; return nil }

			opts.DryRun = true
			dry, err := retention.Clean(t.Context(), opts)
			if want := (retention.Result{Attempts: old - old/10}); err != nil || dry != want || logs > 0 {
				t.Errorf("dry Clean() = %+v, %v, with %d logs, want %+v and none", dry, err, logs, want)
			}
			opts.DryRun = false
			got, failures := untilDone(t, opts)
			if want := (retention.Result{Attempts: old - old/10, Sessions: old - old/10}); got != want || failures < 1 || logs < got.Attempts {
				t.Errorf("Clean() = %+v after %d failures, with %d logs, want %+v", got, failures, logs, want)
			}
			ended, running := left(t, db)
			if diff := cmp.Diff([]int{young - young/10, row.n / 10}, []int{ended, running}); diff != "" {
				t.Errorf("attempts that ended and that run (-want +got):\n%s", diff)
			}
		})
	}
}

// untilDone cleans again and again while every third transaction fails, before or after its commit. What
// was committed although the commit failed is in no Result; it is added from what is missing.
func untilDone(t *testing.T, opts retention.Options) (sum retention.Result, failures int) {
	t.Helper()
	db := opts.Store
	n := 0
	opts.Store = storetest.NewFaulty(db, func() storetest.Plan {
		n++
		if n%3 == 0 {
			return storetest.Plan{Fault: []storetest.Fault{storetest.Commit, storetest.AfterCommit}[n/3%2]}
		}
		return storetest.Plan{}
	})
	ended, running := left(t, db)
	for {
		r, err := retention.Clean(t.Context(), opts)
		if err == nil {
			now, still := left(t, db)
			if still != running {
				t.Errorf("%d attempts run, want %d", still, running)
			}
			if r.Attempts > ended-now {
				t.Errorf("the last pass deleted %d attempts of %d", r.Attempts, ended-now)
			}
			return retention.Result{Attempts: ended - now, Sessions: ended - now}, failures
		}
		if !errors.Is(err, trowel.ErrUnavailable) {
			t.Fatal(err)
		}
		failures++
	}
}

// A pass whose context ends stops between two transactions.
func TestCleanEnds(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	fill(t, db, 2000)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	opts := options(db)
	opts.Deleted = func(what string, n int) {
		if what == "attempt" && n > 0 {
			cancel(stop)
		}
	}
	got, err := retention.Clean(ctx, opts)
	if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, stop)
	}
	ended, _ := left(t, db)
	if want := 1800 - ended; got.Attempts != want || want == 0 {
		t.Errorf("Clean() = %+v, want %d attempts", got, want)
	}
}

// blobs remember what was deleted.
type blobs struct {
	deleted []string
	err     error
}

func (b *blobs) Delete(_ context.Context, key string) error {
	if b.err == nil {
		b.deleted = append(b.deleted, key)
	}
	return b.err
}

// Unused revisions go with their archives, also when the store of archives is away for a pass, and with
// them what else is old. Without limits nothing goes.
func TestCleanEverything(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	p, w := project(t, db, "p")
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for i := range 3 {
			r := &trowel.Revision{
				Name: fmt.Sprint("r", i), CreatedAt: now.Add(time.Duration(i-100) * day), Archive: trowel.Archive{Type: "db", Key: fmt.Sprint("a/", i), MD5: make([]byte, 16)},
			}
			if err := tx.InsertRevision(ctx, p, r, []*trowel.Workflow{{Name: "w", Zone: "UTC"}}); err != nil {
				return err
			}
		}
		return errors.Join(
			insert(ctx, tx, p, w, 7, now.Add(-40*day), 1), insert(ctx, tx, p, w, 14, now.Add(-39*day), 2),
			tx.InsertDecisions(ctx, []trowel.Decision{
				{ProjectID: p.ID, Workflow: "w", At: now.Add(-31 * day), SessionAt: now, RunAt: now, What: trowel.DecisionSkipped},
				{ProjectID: p.ID, Workflow: "w", At: now.Add(-29 * day), SessionAt: now, RunAt: now, What: trowel.DecisionSkipped},
			}),
			tx.PutParamValues(ctx, []trowel.ParamValue{{Key: "old", UpdatedAt: now.Add(-91 * day)}, {Key: "young", UpdatedAt: now.Add(-89 * day)}}),
		)
	})
	opts := options(db)
	archives := &blobs{err: trowel.ErrUnavailable}
	opts.Archives = map[string]retention.Blobs{"db": archives}
	told := map[string]int{}
	opts.Deleted = func(what string, n int) { told[what] += n }

	never := opts
	never.Keep, never.KeepValues = 0, 0
	want := func(what string, opts retention.Options, kind error, result retention.Result) {
		t.Helper()
		got, err := retention.Clean(t.Context(), opts)
		if got != result || !errors.Is(err, kind) {
			t.Errorf("%s: Clean() = %+v, %v, want %+v, %v", what, got, err, result, kind)
		}
	}
	want("without limits", never, nil, retention.Result{})
	dry := opts
	dry.DryRun = true
	want("dry", dry, nil, retention.Result{Attempts: 1, Decisions: 1, Revisions: 2, Values: 1})
	// Two of the revisions have no attempts, and the first one of the project has: it stays.
	want("without archives", opts, trowel.ErrUnavailable, retention.Result{Attempts: 1, Sessions: 1, Decisions: 1, Revisions: 2, Values: 1})
	unknown := opts
	unknown.Archives = nil
	want("with an unknown store of archives", unknown, nil, retention.Result{})
	archives.err = nil
	want("with archives", never, nil, retention.Result{Archives: 2})
	want("again", opts, nil, retention.Result{})
	if diff := cmp.Diff([]string{"a/0", "a/1"}, archives.deleted); diff != "" {
		t.Errorf("archives (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"attempt": 1, "session": 1, "decision": 1, "revision": 2, "value": 1, "archive": 2}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Logs that cannot be deleted keep their attempts.
func TestCleanKeepsAttemptsOfLogs(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	fill(t, db, 1000)
	opts := options(db)
	opts.DeleteLogs = func(context.Context, trowel.AttemptID) error { return trowel.ErrUnavailable }
	if got, err := retention.Clean(t.Context(), opts); !errors.Is(err, trowel.ErrUnavailable) || got.Attempts > 0 {
		t.Errorf("Clean() = %+v, %v, want nothing and %v", got, err, trowel.ErrUnavailable)
	}
	if ended, _ := left(t, db); ended != 900 {
		t.Errorf("%d attempts are left, want 900", ended)
	}
}
