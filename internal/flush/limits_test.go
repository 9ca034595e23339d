package flush_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// many returns an agent with 50 slots, whose tries run side by side for a millisecond before work.
func many(work func(*trowel.Lease) trowel.Report) *trowtest.Agent {
	return &trowtest.Agent{Name: "many", Slots: 50, Parallel: true, Takes: time.Millisecond, Work: work}
}

// begun runs the flusher of a server, with pools.
func begun(t *testing.T, agent queue.Agent, pools ...*trowel.Pool) *trowtest.Fixture {
	t.Helper()
	store := openStore(t)
	trowtest.PutAgent(t, store, agent.ID(), 24*time.Hour)
	return trowtest.New(t, trowtest.Options{Store: store, Agent: agent, Pools: pools, Flusher: func(o *flush.Options) {
		asServer(o)
		o.Rules = queue.Rules{Aging: time.Minute, ReserveAfter: time.Minute}
		o.Templates, o.Poison = template.New(template.Options{}), 3
	}})
}

// checkCounters checks that nothing is in use any more.
func checkCounters(t *testing.T, f *trowtest.Fixture) {
	t.Helper()
	trowtest.View(t, f.Store, func(tx trowel.Tx) error {
		uses, err := tx.ListCounters(t.Context())
		if err == nil && len(uses) > 0 {
			t.Errorf("counters = %v, want all to be zero", uses)
		}
		return err
	})
}

// Pools, concurrency and limits of the workflow bound what runs at the same time, and all of it runs in the
// end (control K804, K805, K810, K813).
func TestLimitsHold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		options  []any
		workflow *param.Map // definition of the workflow
		want     int        // at the same time
	}{
		{"none", nil, nil, 12},
		{"a pool", []any{"_pool", "three"}, nil, 3},
		{"several slots of it", []any{"_pool", param.Of("name", "three", "slots", 2)}, nil, 1},
		{"two pools", []any{"_pool", param.List{"three", "two"}}, nil, 2},
		{"concurrency", []any{"_concurrency", param.Of("limit", 4, "key", "k")}, nil, 4},
		{"a pool and concurrency", []any{"_pool", "three", "_concurrency", param.Of("limit", 2, "key", "k", "per", "site")}, nil, 2},
		{"concurrency with a template", []any{"_concurrency", param.Of("limit", 2, "key", "${'x' + 1}")}, nil, 2},
		{"tasks of an attempt", nil, param.Of("max_active_tasks", param.Of("per_attempt", 5)), 5},
		{"tasks of a workflow", nil, param.Of("max_active_tasks", param.Of("per_workflow", 6)), 6},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := begun(t, many(nil), &trowel.Pool{Name: "three", Slots: 3}, &trowel.Pool{Name: "two", Slots: 2})
				f.Context.Workflow.Definition = row.workflow
				body := group(12, append([]any{"_parallel", true}, row.options...)...)
				if got := f.Status(f.Begin(0, body)); got != "success" {
					t.Errorf("attempt ended as %s, want success", got)
				}
				if got := f.Agent.Peak(); got != row.want {
					t.Errorf("%d tasks ran at the same time, want %d", got, row.want)
				}
				checkCounters(t, f)
			})
		})
	}
}

// A pool of no slots and one that is not there let nothing run until there are some (control K801, K803).
func TestPoolsChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := many(nil)
		agent.CountBy = func(l *trowel.Lease) string { return l.FullName }
		db := &trowel.Pool{Name: "db", Slots: 0}
		f := begun(t, agent, db)
		started := f.Begin(0, param.Of("_parallel", true,
			"+free", param.Of("echo>", 1), "+zero", param.Of("echo>", 1, "_pool", "db"), "+missing", param.Of("echo>", 1, "_pool", "later")))
		<-time.After(time.Hour)
		if ran := agent.Peaks(); len(ran) != 1 || ran["+w+free"] != 1 {
			t.Errorf("ran %v, want +w+free alone", ran)
		}
		change := func(do func(tx trowel.Tx) error) {
			t.Helper()
			trowtest.Update(t, f.Store, func(tx trowel.Tx) error {
				err := tx.LockLimits(t.Context())
				if err == nil {
					err = do(tx)
				}
				if err == nil {
					_, err = tx.RecountCounters(t.Context())
				}
				return err
			})
			f.LimitsChanged()
		}
		change(func(tx trowel.Tx) error { db.Slots = 1; return tx.UpdatePool(t.Context(), db) })
		<-time.After(time.Second)
		if ran := agent.Peaks(); ran["+w+zero"] != 1 {
			t.Errorf("ran %v, want +w+zero as well", ran)
		}
		change(func(tx trowel.Tx) error {
			return tx.InsertPool(t.Context(), &trowel.Pool{Name: "later", Slots: 1, CreatedAt: time.Now(), UpdatedAt: time.Now()})
		})
		if got := f.Status(started); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		checkCounters(t, f)
	})
}

// The default pool is unlimited until it is given a number, which counts what runs already.
func TestDefaultPool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, many(nil))
		trowtest.Update(t, f.Store, func(tx trowel.Tx) error {
			pools, err := tx.ListPools(t.Context())
			if err == nil {
				pools[0].Slots = 4
				err = tx.UpdatePool(t.Context(), pools[0])
			}
			return err
		})
		f.End(f.Begin(0, group(20, "_parallel", true)))
		if got := f.Agent.Peak(); got != 4 {
			t.Errorf("%d tasks ran at the same time, want 4", got)
		}
		checkCounters(t, f)
	})
}

// A task that does not wait for its limit fails (control K811), whatever it is that fills it.
func TestConcurrencyFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, many(nil))
		body := group(5, "_parallel", true, "_concurrency", param.Of("limit", 2, "key", "k", "on_limit", "fail"))
		started := f.Begin(0, body)
		if got := f.Status(started); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		states := map[trowel.TaskState]int{}
		for _, row := range f.Archived(started.Attempt.ID) {
			states[row.State]++
		}
		if states[trowel.TaskSuccess] < 2 || states[trowel.TaskError] != 3 {
			t.Errorf("states = %v, want 2 tasks to succeed and 3 to fail", states)
		}
		checkCounters(t, f)
	})
}

// Attempts above max_active_attempts wait and are admitted in the order of their sessions, or are refused
// (control K813); those of a paused workflow wait until it is not (control K816).
func TestAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		var mu sync.Mutex
		f := begun(t, many(func(l *trowel.Lease) trowel.Report {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, fmt.Sprint(l.Context.Session.Time.Sub(trowtest.SessionTime).Seconds()))
			return trowtest.Success(l)
		}))
		f.Context.Workflow.Definition = param.Of("max_active_attempts", 2)
		body := param.Of("+a", param.Of("echo>", 1))
		var all []*flush.Started
		for _, after := range []int{5, 1, 4, 2, 3} {
			all = append(all, f.Begin(time.Duration(after)*time.Second, body))
		}
		for _, s := range all {
			f.End(s)
		}
		synctest.Wait()
		mu.Lock()
		slices.Sort(order[:2]) // two run side by side
		slices.Sort(order[2:4])
		if got := fmt.Sprint(order); f.Agent.Peak() > 2 || got != "[1 5 2 3 4]" {
			t.Errorf("attempts ran in the order %s, %d at the same time, want 5 and 1 and then 2, 3, 4, two at the same time", got, f.Agent.Peak())
		}
		mu.Unlock()
		pause := &trowel.Pause{ProjectID: f.Context.Project.ID, Workflow: "w", At: time.Now(), Actor: "me"}
		trowtest.Update(t, f.Store, func(tx trowel.Tx) error { return tx.PutPause(t.Context(), pause) })
		paused := f.Begin(time.Hour, body)
		killed := f.Begin(2*time.Hour, body)
		<-time.After(time.Hour)
		mu.Lock()
		ran := len(order)
		mu.Unlock()
		if ran != 5 || paused.Attempt.WaitReason != trowel.WaitWorkflowPaused {
			t.Errorf("%d attempts ran, want 5; the new one waits for %q", ran, paused.Attempt.WaitReason)
		}
		if err := f.Kill(t.Context(), killed.Attempt.ID, "me"); err != nil || f.Status(killed) != "killed" {
			t.Errorf("Kill of an attempt that waits: %v", err)
		}
		name := trowel.WorkflowName{ProjectID: f.Context.Project.ID, Name: "w"}
		trowtest.Update(t, f.Store, func(tx trowel.Tx) error { return tx.DeletePause(t.Context(), name.ProjectID, name.Name) })
		f.Admit(name)
		if got := f.Status(paused); got != "success" {
			t.Errorf("attempt ended as %s after the pause, want success", got)
		}
	})
}

func TestAdmissionRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, many(nil))
		f.Context.Workflow.Definition = param.Of("max_active_attempts", param.Of("limit", 1, "on_exceed", "reject"))
		body := param.Of("+a", param.Of("echo>", 1))
		first := f.Begin(0, body)
		f.Context.Session.Time = f.Context.Session.Time.Add(time.Second)
		if _, err := f.Start(t.Context(), f.Request(body)); !errors.Is(err, trowel.ErrLimit) {
			t.Errorf("second attempt: error = %v, want ErrLimit", err)
		}
		f.End(first)
		f.End(f.Begin(time.Second, body))
	})
}
