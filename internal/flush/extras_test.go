package flush_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// patient is an agent that keeps its leases until the test says what became of them.
type patient struct {
	mu    sync.Mutex
	given map[string]*trowel.Lease
}

func (*patient) ID() string            { return "patient" }
func (*patient) Free() int             { return 10 }
func (*patient) Cancel([]trowel.TryID) {}

func (a *patient) Assign(leases []*trowel.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range leases {
		a.given[l.FullName] = l
	}
}

// restarting is a store with one flusher at a time.
type restarting struct {
	t       *testing.T
	store   trowel.Store
	setting trowel.AttemptContext
	agent   *patient
	flusher *flush.Flusher
	stop    func()
}

func newRestarting(t *testing.T) *restarting {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := &restarting{t: t, store: db, agent: &patient{given: map[string]*trowel.Lease{}}}
	r.setting = trowel.AttemptContext{
		Project:  trowel.Project{Name: "p", CreatedAt: time.Now()},
		Revision: trowel.Revision{Name: "r", CreatedAt: time.Now()},
	}
	workflow := &trowel.Workflow{Name: "w", Zone: "UTC"}
	err = db.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertRevision(t.Context(), &r.setting.Project, &r.setting.Revision, []*trowel.Workflow{workflow})
	})
	if err != nil {
		t.Fatal(err)
	}
	r.setting.Workflow = *workflow
	r.setting.Session = trowel.Session{ProjectID: r.setting.Project.ID, Workflow: "w", Time: time.Unix(1705276800, 0), UUID: "u"}
	r.begin()
	return r
}

// begin starts a flusher, which goes on with what it finds.
func (r *restarting) begin() {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.flusher = flush.New(flush.Options{
		Store: r.store, Agent: r.agent, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1000}, Attempts: 100, RetryForever: true, Recover: true,
	})
	var running sync.WaitGroup
	running.Go(func() { _ = r.flusher.Run(ctx) })
	r.stop = func() {
		cancel()
		running.Wait()
	}
	synctest.Wait()
}

func (r *restarting) restart() {
	r.stop()
	r.begin()
}

// pass lets time pass.
func (r *restarting) pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.t.Context().Done():
	}
	synctest.Wait()
}

func (r *restarting) report(task string, result trowel.Result) {
	r.agent.mu.Lock()
	l := r.agent.given[task]
	r.agent.mu.Unlock()
	if l == nil {
		r.t.Fatalf("%s was not given out", task)
	}
	r.flusher.Report(trowel.Report{TaskID: l.TaskID, AttemptID: l.AttemptID, Try: l.Try, Outcome: trowel.OutcomeSuccess, Result: result})
	synctest.Wait()
}

// states lists the tasks of an attempt with their states, live or archived.
func (r *restarting) states(id trowel.AttemptID) []string {
	r.t.Helper()
	var rows []*trowel.Task
	err := r.store.View(r.t.Context(), func(tx trowel.Tx) (err error) {
		if rows, err = tx.ListTasks(r.t.Context(), id, -1); err == nil && len(rows) == 0 {
			rows, err = tx.ListArchivedTasks(r.t.Context(), id)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var list []string
	for _, row := range rows {
		list = append(list, row.FullName+" "+row.State.String())
	}
	return list
}

// left tells which rows beside an attempt are stored.
func (r *restarting) left(id trowel.AttemptID) (monitor, resumed bool) {
	r.t.Helper()
	err := r.store.View(r.t.Context(), func(tx trowel.Tx) error {
		_, err := tx.FindSLATimer(r.t.Context(), id)
		monitor = err == nil
		if err != nil && !errors.Is(err, trowel.ErrNotFound) {
			return err
		}
		rows, err := tx.ListResumed(r.t.Context(), id)
		resumed = len(rows) > 0
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return monitor, resumed
}

func (r *restarting) start(change func(*flush.Start), body *param.Map) trowel.AttemptID {
	r.t.Helper()
	s := request(r.t, r.setting, body)
	change(&s)
	started, err := r.flusher.Start(r.t.Context(), s)
	if err != nil {
		r.t.Fatal(err)
	}
	return started.Attempt.ID
}

// TestSLAOverRestart fires an SLA once, also one whose instant came while nobody served, and deletes
// its monitor with the tasks that it adds (language S45).
func TestSLAOverRestart(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]time.Duration{"before": time.Minute, "while away": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			r := newRestarting(t)
			id := r.start(func(s *flush.Start) {
				s.SLATimer = &trowel.SLATimer{DueAt: time.Now().Add(30 * time.Minute), Config: param.Of("duration", "00:30", "fail", true)}
			}, param.Of("+a", param.Of("echo>", 1)))
			r.stop()
			r.pass(away)
			r.begin()
			r.pass(time.Hour)
			r.restart()
			want := []string{"+w planned", "+w+a running", "+w^sla^alert running", "+w^sla^fail running", "+w^sla success"}
			if diff := cmp.Diff(want, r.states(id)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if monitor, _ := r.left(id); monitor {
				t.Errorf("%s: the monitor is stored after it has fired", name)
			}
			r.stop()
			_ = r.store.Close()
		})
	}
}

// TestMonitorEnds deletes the monitor of an attempt that ends before it is late.
func TestMonitorEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRestarting(t)
		id := r.start(func(s *flush.Start) {
			s.SLATimer = &trowel.SLATimer{DueAt: time.Now().Add(time.Hour), Config: param.Of("duration", "01:00")}
		}, param.Of("+a", param.Of("echo>", 1)))
		if monitor, _ := r.left(id); !monitor {
			t.Error("the monitor is not stored")
		}
		r.report("+w+a", trowel.Result{})
		if monitor, _ := r.left(id); monitor {
			t.Error("the monitor is stored after the attempt has ended")
		}
		r.pass(2 * time.Hour)
		if diff := cmp.Diff([]string{"+w success", "+w+a success"}, r.states(id)); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
		r.stop()
		_ = r.store.Close()
	})
}

// TestResumedOverRestart resumes an attempt, and takes over tasks that are generated after a restart
// (language X67, X69). What was kept for that goes with the attempt.
func TestResumedOverRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRestarting(t)
		source := []*trowel.Task{
			{ID: 1, FullName: "+w", Group: true, State: trowel.TaskGroupError},
			{ID: 2, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess, Local: param.Of("echo>", "old"), Result: trowel.Result{Store: param.Of("k", 1)}},
			{ID: 3, ParentID: 1, FullName: "+w+b", State: trowel.TaskGroupError, Upstreams: []trowel.TaskID{2}},
			{ID: 4, ParentID: 3, FullName: "+w+b^sub", Group: true, State: trowel.TaskGroupError},
			{ID: 5, ParentID: 4, FullName: "+w+b^sub+x", State: trowel.TaskSuccess, Local: param.Of("echo>", "x")},
			{ID: 6, ParentID: 4, FullName: "+w+b^sub+y", State: trowel.TaskError, Upstreams: []trowel.TaskID{5}},
		}
		rows, err := engine.ResumeFailed(source)
		if err != nil {
			t.Fatal(err)
		}
		id := r.start(func(s *flush.Start) { s.Resumed = rows }, param.Of("+a", param.Of("echo>", "new"), "+b", param.Of("loop>", 2)))
		if diff := cmp.Diff([]string{"+w planned", "+w+a success", "+w+b running"}, r.states(id)); diff != "" {
			t.Errorf("after the start (-want +got):\n%s", diff)
		}
		if k, _ := r.agent.given["+w+b"].Scope.Get("k"); k != int64(1) {
			t.Errorf("k = %v for +b, want 1", k)
		}
		r.restart()
		sub := param.Of("+x", param.Of("echo>", "x"), "+y", param.Of("echo>", "y"))
		r.report("+w+b", trowel.Result{Subtasks: sub})
		want := []string{"+w planned", "+w+a success", "+w+b planned", "+w+b^sub planned", "+w+b^sub+x success", "+w+b^sub+y running"}
		if diff := cmp.Diff(want, r.states(id)); diff != "" {
			t.Errorf("after the subtasks (-want +got):\n%s", diff)
		}
		if _, resumed := r.left(id); !resumed {
			t.Error("nothing is kept for what is generated")
		}
		r.report("+w+b^sub+y", trowel.Result{})
		if _, resumed := r.left(id); resumed {
			t.Error("what was resumed is kept after the attempt has ended")
		}
		r.stop()
		_ = r.store.Close()
	})
}

func (*patient) Serves(*trowel.Requirements) bool { return true }
func (*patient) Remote() bool                     { return false }
