package flush_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// restarting is a store with one flusher at a time, and an agent that keeps its leases until the test says what became of
// them.
type restarting struct {
	*trowtest.Fixture

	t     *testing.T
	agent *trowtest.Agent
	mu    sync.Mutex
	given map[string]*trowel.Lease // by the name of the task
}

func newRestarting(t *testing.T) *restarting {
	t.Helper()
	r := &restarting{t: t, given: map[string]*trowel.Lease{}}
	// Its row is not stored, so it is given its tasks again every few seconds.
	r.agent = &trowtest.Agent{Name: "patient", Slots: 1 << 20, Take: func(l *trowel.Lease) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.given[l.FullName] = l
	}}
	r.Fixture = trowtest.New(t, trowtest.Options{Agent: r.agent, Flusher: func(o *flush.Options) { o.RetryForever, o.Recover = true, true }})
	synctest.Wait()
	return r
}

// begin starts another flusher, which goes on with what it finds.
func (r *restarting) begin() {
	r.Flusher = trowtest.RunFlusher(r.t, flush.Options{Store: r.Store, Agent: r.agent, RetryForever: true, Recover: true})
	synctest.Wait()
}

func (r *restarting) restart() {
	r.Stop()
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
	r.mu.Lock()
	l := r.given[task]
	r.mu.Unlock()
	if l == nil {
		r.t.Fatalf("%s was not given out", task)
	}
	r.agent.Report(l, trowel.Report{Outcome: trowel.OutcomeSuccess, Result: result})
	synctest.Wait()
}

// states lists the tasks of an attempt with their states, live or archived.
func (r *restarting) states(id trowel.AttemptID) []string {
	r.t.Helper()
	rows := r.Tasks(id)
	if len(rows) == 0 {
		rows = r.Archived(id)
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
	trowtest.View(r.t, r.Store, func(tx trowel.Tx) error {
		_, err := tx.FindSLATimer(r.t.Context(), id)
		monitor = err == nil
		if err != nil && !errors.Is(err, trowel.ErrNotFound) {
			return err
		}
		rows, err := tx.ListResumed(r.t.Context(), id)
		resumed = len(rows) > 0
		return err
	})
	return monitor, resumed
}

func (r *restarting) start(change func(*flush.Start), body *param.Map) trowel.AttemptID {
	r.t.Helper()
	s := r.Request(body)
	change(&s)
	started, err := r.Start(r.t.Context(), s)
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
			r.Stop()
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
		if k, _ := r.given["+w+b"].Scope.Get("k"); k != int64(1) {
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
	})
}
