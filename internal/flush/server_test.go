package flush_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// asServer sets the options of a server that has its store for itself.
func asServer(o *flush.Options) { o.RetryForever, o.Recover, o.Exclusive = true, true, true }

// outage is a store that can be away.
type outage struct{ away atomic.Bool }

func (o *outage) wrap(store trowel.Store) trowel.Store {
	return storetest.NewFaulty(store, func() storetest.Plan {
		if o.away.Load() {
			return storetest.Plan{Fault: storetest.Begin}
		}
		return storetest.Plan{}
	})
}

// TestOutage takes the store away for an hour while a task runs: what was reported meanwhile is
// written afterwards, and what callers gave up is not.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o outage
		release := make(chan struct{})
		f := beginWith(t, func(l *trowel.Lease) trowel.Report {
			<-release
			return trowtest.Success(l)
		}, func(opts *flush.Options) {
			asServer(opts)
			opts.Store = o.wrap(opts.Store)
		})
		first := f.Begin(0, param.Of("+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1)))
		synctest.Wait()
		o.away.Store(true)
		close(release)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := f.Kill(ctx, first.Attempt.ID, "somebody"); !errors.Is(err, trowel.ErrUnavailable) || !strings.Contains(err.Error(), "could not write it: ") || !strings.Contains(err.Error(), "; nothing was changed") {
			t.Errorf("Kill while the store is away: error = %v, want unavailable and nothing changed", err)
		}
		f.Context.Session.Time = f.Context.Session.Time.Add(time.Hour)
		_, err := f.Start(ctx, f.Request(param.Of("+a", param.Of("echo>", 1))))
		if !errors.Is(err, trowel.ErrUnavailable) {
			t.Errorf("Start while the store is away: error = %v, want unavailable", err)
		}
		<-time.After(time.Hour)
		o.away.Store(false)
		back := time.Now()
		if got := (<-first.Ended).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		if took := time.Since(back); took > time.Second {
			t.Errorf("the attempt went on %v after the store was back, want at most 1 s", took)
		}
		if _, err := f.Start(t.Context(), f.Request(param.Of("+a", param.Of("echo>", 1)))); err != nil {
			t.Errorf("Start of what was withdrawn before: %v", err)
		}
	})
}

// TestDoubt cuts the answer of a start off and has its caller leave: nobody knows whether it happened,
// which the error says.
func TestDoubt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var plan atomic.Uint32
		f := beginWith(t, trowtest.Success, func(opts *flush.Options) {
			asServer(opts)
			opts.Store = storetest.NewFaulty(opts.Store, func() storetest.Plan {
				fault := storetest.Fault(plan.Load()) //nolint:gosec // one of the faults
				if fault == storetest.AfterCommit {
					plan.Store(uint32(storetest.Begin))
				}
				return storetest.Plan{Fault: fault}
			})
		})
		synctest.Wait()
		plan.Store(uint32(storetest.AfterCommit))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := f.Start(ctx, f.Request(param.Of("+a", param.Of("echo>", 1))))
		if !errors.Is(err, trowel.ErrUnavailable) || !strings.Contains(err.Error(), "not known") {
			t.Errorf("Start without an answer: error = %v, want unavailable and not known", err)
		}
		plan.Store(uint32(storetest.None))
		if err := f.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := countRunning(t, f.Store); n != 0 {
			t.Errorf("%d attempts run, want the one attempt to have ended", n)
		}
	})
}

func countRunning(t *testing.T, store trowel.Store) (n int) {
	t.Helper()
	trowtest.View(t, store, func(tx trowel.Tx) (err error) {
		n, err = tx.CountRunningAttempts(t.Context())
		return err
	})
	return n
}

// hooked is a store whose transactions can be changed by a test.
type hooked struct {
	trowel.Store
	change func(trowel.Tx) trowel.Tx
}

func (h hooked) Update(ctx context.Context, f func(trowel.Tx) error) error {
	return h.Store.Update(ctx, func(tx trowel.Tx) error { return f(h.change(tx)) })
}

// lateTx shows the mark of an earlier transaction only after an attempt was inserted, as PostgreSQL
// does when that one is still being committed.
type lateTx struct {
	trowel.Tx
	inserted bool
}

func (t *lateTx) InsertAttempt(ctx context.Context, s *trowel.Session, a *trowel.Attempt) error {
	t.inserted = true
	return t.Tx.InsertAttempt(ctx, s, a)
}

func (t *lateTx) HasBatch(ctx context.Context, id trowel.AttemptID, batch int64) (bool, error) {
	if !t.inserted {
		return false, nil
	}
	return t.Tx.HasBatch(ctx, id, batch)
}

// TestStartSeenLate loses the answer of a start whose commit becomes visible only while it is tried
// again: the taken name is its own, so it has happened.
func TestStartSeenLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lose atomic.Bool
		f := beginWith(t, trowtest.Success, func(opts *flush.Options) {
			faulty := storetest.NewFaulty(opts.Store, func() storetest.Plan {
				if lose.CompareAndSwap(true, false) {
					return storetest.Plan{Fault: storetest.AfterCommit}
				}
				return storetest.Plan{}
			})
			opts.Store = hooked{faulty, func(tx trowel.Tx) trowel.Tx { return &lateTx{Tx: tx} }}
		})
		lose.Store(true)
		started, err := f.Start(t.Context(), f.Request(group(5)))
		if err != nil {
			t.Fatal(err)
		}
		if got := (<-started.Ended).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		_, err = f.Start(t.Context(), f.Request(group(5)))
		if !errors.Is(err, trowel.ErrConflict) {
			t.Errorf("Start of a taken name: error = %v, want a conflict", err)
		}
	})
}

// refusingStore is a store that does not take a result with the key poison: it rolls the first transactions
// with it back without saying so, and refuses those after them.
type refusingStore struct {
	trowel.Store
	rollbacks int
}

func (p *refusingStore) Update(ctx context.Context, f func(trowel.Tx) error) error {
	return p.Store.Update(ctx, func(tx trowel.Tx) error {
		watched := &refusingTx{Tx: tx, refuse: p.rollbacks == 0}
		err := f(watched)
		if err == nil && watched.poisoned {
			p.rollbacks--
			return fmt.Errorf("commit: %w", trowel.ErrUnavailable)
		}
		return err
	})
}

type refusingTx struct {
	trowel.Tx
	refuse, poisoned bool
}

func (t *refusingTx) UpdateTasks(ctx context.Context, updates []trowel.TaskUpdate) error {
	for _, u := range updates {
		if u.Task.Result.Store.Has("poison") {
			t.poisoned = true
			if t.refuse {
				return errors.New("value too large")
			}
		}
	}
	return t.Tx.UpdateTasks(ctx, updates)
}

// TestRefusedResult stores a result that the store never takes: its task fails, and nothing else. That
// it was not known for a while whether it was stored makes no difference.
func TestRefusedResult(t *testing.T) {
	t.Parallel()
	for _, rollbacks := range []int{0, 3} {
		t.Run(fmt.Sprintf("after %d transactions without an answer", rollbacks), func(t *testing.T) {
			t.Parallel()
			f := beginWith(t, func(l *trowel.Lease) trowel.Report {
				r := trowtest.Success(l)
				if l.FullName == "+w+bad" {
					r.Result.Store = param.Of("poison", 1)
				}
				return r
			}, func(opts *flush.Options) {
				asServer(opts)
				opts.Store = &refusingStore{opts.Store, rollbacks}
			})
			bad := f.Begin(0, param.Of("_parallel", true, "+bad", param.Of("echo>", 1), "+good", param.Of("echo>", 1)))
			good := f.Begin(time.Second, group(20))
			if got := f.Status(good); got != "success" {
				t.Errorf("the other attempt ended as %s, want success", got)
			}
			if got := f.Status(bad); got != "error" {
				t.Errorf("attempt ended as %s, want error", got)
			}
			for _, row := range f.Archived(bad.Attempt.ID) {
				message, _ := row.Error.Get("message")
				want := row.FullName == "+w+bad"
				if text, _ := message.(string); want != strings.Contains(text, "cannot store the result of the task: ") {
					t.Errorf("%s: error message = %q", row.FullName, text)
				}
			}
		})
	}
}

// brokenTx cannot change some attempt at all.
type brokenTx struct {
	trowel.Tx
	broken *atomic.Int64
}

func (t brokenTx) LockAttemptVersions(ctx context.Context, versions map[trowel.AttemptID]int64) error {
	if _, ok := versions[trowel.AttemptID(t.broken.Load())]; ok {
		return errors.New("no such column")
	}
	return t.Tx.LockAttemptVersions(ctx, versions)
}

// TestBrokenAttempt has one attempt that the store does not take at all; others go on.
func TestBrokenAttempt(t *testing.T) {
	t.Parallel()
	var broken atomic.Int64
	hold := make(chan struct{})
	agent := &trowtest.Agent{Name: "agent", Slots: 2, Work: func(l *trowel.Lease) trowel.Report {
		<-hold
		return trowtest.Success(l)
	}}
	f := newFixture(t, trowtest.Options{Agent: agent, Flusher: func(opts *flush.Options) {
		asServer(opts)
		opts.Store = hooked{opts.Store, func(tx trowel.Tx) trowel.Tx { return brokenTx{tx, &broken} }}
	}})
	wide := group(4, "_parallel", true)
	bad := f.Begin(0, wide)
	good := f.Begin(time.Second, wide)
	broken.Store(int64(bad.Attempt.ID))
	close(hold)
	if got := f.Status(good); got != "success" {
		t.Errorf("the other attempt ended as %s, want success", got)
	}
}

// timeouts hears of limits of time.
type timeouts struct {
	mu   sync.Mutex
	told []string
}

func (h *timeouts) Heard(batch *flush.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, out := range batch.Timeouts {
		h.told = append(h.told, fmt.Sprintf("%s of %s after %v", out.Message, batch.Context(out.Attempt.ID).Workflow.Name, batch.At.Sub(out.Attempt.CreatedAt)))
	}
}

// X62, X63: attempts and tasks that take too long are killed, and it is told.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, row := range []struct {
		name string
		ttls engine.TTLs
		want string
	}{
		{"attempt", engine.TTLs{Attempt: 7 * day, Task: 30 * day}, "Workflow execution timeout of w after 168h0m0s"},
		{"task", engine.TTLs{Attempt: 7 * day, Task: day}, "Task execution timeout: 2 of w after 24h0m0s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var heard timeouts
				f := beginWith(t, func(*trowel.Lease) trowel.Report {
					return trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: time.Hour}
				}, func(o *flush.Options) {
					o.TTLs, o.Listeners = row.ttls, []flush.Listener{&heard}
				})
				started := f.Begin(0, param.Of("+a", param.Of("wait>", 1)))
				if got := (<-started.Ended).Flags.Status(); got != "killed" {
					t.Errorf("attempt ended as %s, want killed", got)
				}
				if diff := cmp.Diff([]string{row.want}, heard.told); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				for _, task := range f.Archived(started.Attempt.ID) {
					if strings.Contains(task.FullName, "^") {
						t.Errorf("%s was added, want no failure tasks", task.FullName) // X64
					}
				}
			})
		})
	}
}

// An attempt that waits for its turn in a backfill ends at once when it is killed (design 9), and can
// begin if it is not; others answer as X46 says.
func TestDelayedAttempts(t *testing.T) {
	t.Parallel()
	f := beginWith(t, trowtest.Success, func(o *flush.Options) { asServer(o) })
	var rows [2]trowel.Attempt
	trowtest.Update(t, f.Store, func(tx trowel.Tx) error {
		for i := range rows {
			session := f.Context.Session
			session.Time = session.Time.Add(time.Duration(i) * time.Hour)
			rows[i] = trowel.Attempt{WorkflowID: f.Context.Workflow.ID, Zone: "UTC", Cause: "backfill", CreatedAt: time.Now()}
			if err := tx.InsertAttempt(t.Context(), &session, &rows[i]); err != nil {
				return err
			}
			if err := tx.InsertQueuedBackfillAttempt(t.Context(), &trowel.QueuedBackfillAttempt{AttemptID: rows[i].ID, NextRunAt: time.Now()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := f.Kill(t.Context(), rows[0].ID, "somebody"); err != nil {
		t.Errorf("Kill of an attempt that waits: %v", err)
	}
	for id, want := range map[trowel.AttemptID]error{rows[0].ID: trowel.ErrConflict, 999: trowel.ErrNotFound} {
		if err := f.Kill(t.Context(), id, "somebody"); !errors.Is(err, want) {
			t.Errorf("Kill(%d): error = %v, want %v", id, err, want)
		}
	}
	request := f.Request(group(3))
	for i, row := range rows {
		request.Attempt = row
		started, err := f.Start(t.Context(), request)
		switch {
		case i == 0 && !errors.Is(err, trowel.ErrConflict):
			t.Errorf("Start of an attempt that was killed: error = %v, want a conflict", err)
		case i == 1 && err != nil:
			t.Errorf("Start of an attempt that waited: %v", err)
		case i == 1:
			if got := f.Status(started); got != "success" {
				t.Errorf("attempt ended as %s, want success", got)
			}
		}
		trowtest.View(t, f.Store, func(tx trowel.Tx) error {
			if _, err := tx.FindQueuedBackfillAttempt(t.Context(), row.ID); !errors.Is(err, trowel.ErrNotFound) {
				t.Errorf("attempt %d still waits: %v", row.ID, err)
			}
			return nil
		})
	}
}

// The last pieces of a try's output are stored with its end.
func TestLogsOfReports(t *testing.T) {
	t.Parallel()
	f := begin(t, func(l *trowel.Lease) trowel.Report {
		r := trowtest.Success(l)
		r.Logs = []trowel.LogChunk{{AttemptID: l.AttemptID, File: l.FullName + "@1.log.gz", Lines: 1, TextBytes: 3, DataBytes: 2, Data: []byte("ab")}}
		return r
	})
	started := f.Begin(0, group(2))
	f.End(started)
	var files []trowel.LogFile
	err := f.Store.View(t.Context(), func(tx trowel.Tx) (err error) {
		files, err = tx.ListLogFiles(t.Context(), started.Attempt.ID, "")
		return err
	})
	if err != nil || len(files) != 2 || files[0].Name != "+w+task0@1.log.gz" || files[0].DataBytes != 2 {
		t.Errorf("log files = %v, %v", files, err)
	}
}

// Output that was stored although nobody knows it, as its answer was lost, comes again with the end of the try. The end is
// written, and the output is there once.
func TestLogsStoredAlready(t *testing.T) {
	t.Parallel()
	var store trowel.Store
	f := beginWith(t, func(l *trowel.Lease) trowel.Report {
		r := trowtest.Success(l)
		r.Logs = []trowel.LogChunk{{AttemptID: l.AttemptID, File: l.FullName + "@1.log.gz", Lines: 1, TextBytes: 3, DataBytes: 2, Data: []byte("ab")}}
		if err := store.Update(t.Context(), func(tx trowel.Tx) error { return tx.InsertLogChunks(t.Context(), r.Logs) }); err != nil {
			t.Error(err)
		}
		return r
	}, func(o *flush.Options) { store = o.Store })
	started := f.Begin(0, group(2))
	if a := f.End(started); a.Flags.Status() != "success" {
		t.Errorf("the attempt ended as %s, want success", a.Flags.Status())
	}
	trowtest.View(t, f.Store, func(tx trowel.Tx) error {
		files, err := tx.ListLogFiles(t.Context(), started.Attempt.ID, "")
		if len(files) != 2 || files[0].Chunks != 1 || files[1].Chunks != 1 {
			t.Errorf("log files = %v, want two of one piece", files)
		}
		return err
	})
}

// X61: a flusher that rests writes what is reported, and what is ready stays so.
func TestRest(t *testing.T) {
	t.Parallel()
	given, release := make(chan struct{}), make(chan struct{})
	f := begin(t, func(l *trowel.Lease) trowel.Report {
		given <- struct{}{}
		<-release
		return trowtest.Success(l)
	})
	started := f.Begin(0, group(2))
	<-given
	f.StopClaiming()
	close(release)
	states := func() string {
		var text []string
		trowtest.View(t, f.Store, func(tx trowel.Tx) error {
			rows, err := tx.ListTasks(t.Context(), started.Attempt.ID, -1)
			for _, row := range rows {
				text = append(text, row.State.String())
			}
			return err
		})
		return strings.Join(text, " ")
	}
	for ctx := t.Context(); states() != "planned success ready"; {
		if err := f.Barrier(ctx); err != nil {
			t.Fatalf("states are %s: %v", states(), err)
		}
	}
	if err := f.Barrier(t.Context()); err != nil || states() != "planned success ready" {
		t.Errorf("states are %s, %v, want planned success ready", states(), err)
	}
}
