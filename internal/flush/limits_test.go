package flush_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/template"
)

// gauge notes how many tries run at the same time, by what a test counts them, and lets each take a
// millisecond of the bubble's time.
type gauge struct {
	by func(*trowel.Lease) string

	mu   sync.Mutex
	now  map[string]int
	most map[string]int
}

func newGauge(by func(*trowel.Lease) string) *gauge {
	return &gauge{by: by, now: map[string]int{}, most: map[string]int{}}
}

// peaks returns how many ran at the same time.
func (g *gauge) peaks() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.most)
}

// add notes a try that begins, or, with -1, one that ends.
func (g *gauge) add(l *trowel.Lease, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := g.by(l)
	g.now[key] += n
	g.most[key] = max(g.most[key], g.now[key])
}

// crowd is an agent that runs any number of tries side by side.
type crowd struct {
	id      string
	slots   int
	remote  bool
	gauge   *gauge
	flusher func() *flush.Flusher
	run     func(*trowel.Lease) trowel.Report

	mu      sync.Mutex
	held    int
	most    int
	running sync.WaitGroup
}

func (c *crowd) ID() string                         { return c.id }
func (c *crowd) Serves(n *trowel.Requirements) bool { return n.QueueName() == trowel.DefaultQueue }
func (c *crowd) Remote() bool                       { return c.remote }
func (c *crowd) Cancel([]trowel.TryID)              {}
func (c *crowd) Free() int                          { c.mu.Lock(); defer c.mu.Unlock(); return c.slots - c.held }

// peak is how many tries it had at the same time.
func (c *crowd) peak() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

func (c *crowd) Assign(leases []*trowel.Lease) {
	c.mu.Lock()
	c.held += len(leases)
	c.most = max(c.most, c.held)
	c.mu.Unlock()
	for _, l := range leases {
		if c.gauge != nil {
			c.gauge.add(l, 1)
		}
		c.running.Go(func() {
			<-time.After(time.Millisecond)
			r := success(l)
			if c.run != nil {
				r = c.run(l)
			}
			r.TaskID, r.AttemptID, r.Try = l.TaskID, l.AttemptID, l.Try
			if c.gauge != nil {
				c.gauge.add(l, -1)
			}
			c.mu.Lock()
			c.held--
			c.mu.Unlock()
			c.flusher().Report(r)
		})
	}
}

// limited runs a flusher in a bubble, with an agent of many slots and these pools.
type limited struct {
	*flush.Flusher

	agent   *crowd
	store   trowel.Store
	setting trowel.AttemptContext
}

func begun(t *testing.T, agent *crowd, pools ...*trowel.Pool) *limited {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	db, closeStore := openStore(t)
	l := &limited{agent: agent, store: db}
	agent.flusher = func() *flush.Flusher { return l.Flusher }
	opts := flush.Options{
		Store: db, Agent: agent, Now: time.Now, Log: slog.New(slog.DiscardHandler), Limits: engine.Limits{Tasks: 1000}, Attempts: 100,
		Rules: queue.Rules{Aging: time.Minute, ReserveAfter: time.Minute}, Templates: template.New(template.Options{}), Poison: 3,
	}
	asServer(&opts)
	now := time.Now()
	l.setting = trowel.AttemptContext{Project: trowel.Project{Name: "p", CreatedAt: now}, Revision: trowel.Revision{Name: "r", CreatedAt: now}}
	workflow := &trowel.Workflow{Name: "w", Zone: "UTC"}
	err := db.Update(ctx, func(tx trowel.Tx) error {
		for _, p := range pools {
			p.CreatedAt, p.UpdatedAt = now, now
			if err := tx.InsertPool(ctx, p); err != nil {
				return err
			}
		}
		row := &trowel.Agent{ID: agent.id, Name: agent.id, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(24 * time.Hour)}
		if err := tx.PutAgent(ctx, row); err != nil {
			return err
		}
		return tx.InsertRevision(ctx, &l.setting.Project, &l.setting.Revision, []*trowel.Workflow{workflow})
	})
	if err != nil {
		t.Fatal(err)
	}
	l.setting.Workflow = *workflow
	l.setting.Session = trowel.Session{ProjectID: l.setting.Project.ID, Workflow: "w", Time: time.Unix(1705276800, 0), UUID: "u"}
	l.Flusher = flush.New(opts)
	var running sync.WaitGroup
	running.Go(func() {
		if err := l.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("flusher: %v", err)
		}
	})
	t.Cleanup(func() {
		agent.running.Wait()
		cancel()
		running.Wait()
		closeStore()
	})
	return l
}

// settled checks that nothing is held any more, and that counters say so.
func (l *limited) settled(t *testing.T) {
	t.Helper()
	err := l.store.View(t.Context(), func(tx trowel.Tx) error {
		uses, err := tx.ListCounters(t.Context())
		if err == nil && len(uses) > 0 {
			t.Errorf("counters = %v, want all to be zero", uses)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
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
				g := newGauge(func(*trowel.Lease) string { return "all" })
				l := begun(t, &crowd{id: "many", slots: 50, gauge: g},
					&trowel.Pool{Name: "three", Slots: 3}, &trowel.Pool{Name: "two", Slots: 2})
				l.setting.Workflow.Definition = row.workflow
				body := group(12, append([]any{"_parallel", true}, row.options...)...)
				if got := end(t, start(t, l.Flusher, l.setting, 0, body)).Flags.Status(); got != "success" {
					t.Errorf("attempt ended as %s, want success", got)
				}
				if got := g.peaks()["all"]; got != row.want {
					t.Errorf("%d tasks ran at the same time, want %d", got, row.want)
				}
				l.settled(t)
			})
		})
	}
}

// A pool of no slots and one that is not there let nothing run until there are some (control K801, K803).
func TestPoolsChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGauge(func(l *trowel.Lease) string { return l.FullName })
		db := &trowel.Pool{Name: "db", Slots: 0}
		l := begun(t, &crowd{id: "many", slots: 50, gauge: g}, db)
		started := start(t, l.Flusher, l.setting, 0, param.Of("_parallel", true,
			"+free", param.Of("echo>", 1), "+zero", param.Of("echo>", 1, "_pool", "db"), "+missing", param.Of("echo>", 1, "_pool", "later")))
		<-time.After(time.Hour)
		if len(g.peaks()) != 1 || g.peaks()["+w+free"] != 1 {
			t.Errorf("ran %v, want +w+free alone", g.peaks())
		}
		change := func(f func(tx trowel.Tx) error) {
			err := l.store.Update(t.Context(), func(tx trowel.Tx) error {
				err := tx.LockLimits(t.Context())
				if err == nil {
					err = f(tx)
				}
				if err == nil {
					_, err = tx.RecountCounters(t.Context())
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			l.LimitsChanged()
		}
		change(func(tx trowel.Tx) error { db.Slots = 1; return tx.UpdatePool(t.Context(), db) })
		<-time.After(time.Second)
		if g.peaks()["+w+zero"] != 1 {
			t.Errorf("ran %v, want +w+zero as well", g.peaks())
		}
		change(func(tx trowel.Tx) error {
			return tx.InsertPool(t.Context(), &trowel.Pool{Name: "later", Slots: 1, CreatedAt: time.Now(), UpdatedAt: time.Now()})
		})
		if got := end(t, started).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		l.settled(t)
	})
}

// The default pool is unlimited until it is given a number, which counts what runs already.
func TestDefaultPool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGauge(func(*trowel.Lease) string { return "all" })
		l := begun(t, &crowd{id: "many", slots: 50, gauge: g})
		err := l.store.Update(t.Context(), func(tx trowel.Tx) error {
			pools, err := tx.ListPools(t.Context())
			if err == nil {
				pools[0].Slots = 4
				err = tx.UpdatePool(t.Context(), pools[0])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		end(t, start(t, l.Flusher, l.setting, 0, group(20, "_parallel", true)))
		if got := g.peaks()["all"]; got != 4 {
			t.Errorf("%d tasks ran at the same time, want 4", got)
		}
		l.settled(t)
	})
}

// A task that does not wait for its limit fails (control K811), whatever it is that fills it.
func TestConcurrencyFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := begun(t, &crowd{id: "many", slots: 50})
		body := group(5, "_parallel", true, "_concurrency", param.Of("limit", 2, "key", "k", "on_limit", "fail"))
		started := start(t, l.Flusher, l.setting, 0, body)
		if got := end(t, started).Flags.Status(); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		states := map[trowel.TaskState]int{}
		for _, row := range archived(t, l.store, started.Attempt.ID) {
			states[row.State]++
		}
		if states[trowel.TaskSuccess] < 2 || states[trowel.TaskError] != 3 {
			t.Errorf("states = %v, want 2 tasks to succeed and 3 to fail", states)
		}
		l.settled(t)
	})
}

// Attempts above max_active_attempts wait and are admitted in the order of their sessions, or are refused
// (control K813); those of a paused workflow wait until it is not (control K816).
func TestAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		var mu sync.Mutex
		g := newGauge(func(*trowel.Lease) string { return "all" })
		agent := &crowd{id: "many", slots: 50, gauge: g, run: func(l *trowel.Lease) trowel.Report {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, fmt.Sprint(l.Context.Session.Time.Unix()-1705276800))
			return success(l)
		}}
		l := begun(t, agent)
		l.setting.Workflow.Definition = param.Of("max_active_attempts", 2)
		body := param.Of("+a", param.Of("echo>", 1))
		var all []*flush.Started
		for _, after := range []int{5, 1, 4, 2, 3} {
			all = append(all, start(t, l.Flusher, l.setting, time.Duration(after)*time.Second, body))
		}
		for _, s := range all {
			end(t, s)
		}
		synctest.Wait()
		mu.Lock()
		slices.Sort(order[:2]) // two run side by side
		slices.Sort(order[2:4])
		if got := fmt.Sprint(order); g.peaks()["all"] > 2 || got != "[1 5 2 3 4]" {
			t.Errorf("attempts ran in the order %s, %d at the same time, want 5 and 1 and then 2, 3, 4, two at the same time", got, g.peaks()["all"])
		}
		mu.Unlock()
		pause := &trowel.Pause{ProjectID: l.setting.Project.ID, Workflow: "w", At: time.Now(), Actor: "me"}
		if err := l.store.Update(t.Context(), func(tx trowel.Tx) error { return tx.PutPause(t.Context(), pause) }); err != nil {
			t.Fatal(err)
		}
		paused := start(t, l.Flusher, l.setting, time.Hour, body)
		killed := start(t, l.Flusher, l.setting, 2*time.Hour, body)
		<-time.After(time.Hour)
		mu.Lock()
		ran := len(order)
		mu.Unlock()
		if ran != 5 || paused.Attempt.WaitReason != trowel.WaitWorkflowPaused {
			t.Errorf("%d attempts ran, want 5; the new one waits for %q", ran, paused.Attempt.WaitReason)
		}
		if err := l.Kill(t.Context(), killed.Attempt.ID, "me"); err != nil || end(t, killed).Flags.Status() != "killed" {
			t.Errorf("Kill of an attempt that waits: %v", err)
		}
		name := trowel.WorkflowName{ProjectID: l.setting.Project.ID, Name: "w"}
		if err := l.store.Update(t.Context(), func(tx trowel.Tx) error { return tx.DeletePause(t.Context(), name.ProjectID, name.Name) }); err != nil {
			t.Fatal(err)
		}
		l.Admit(name)
		if got := end(t, paused).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s after the pause, want success", got)
		}
	})
}

func TestAdmissionRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := begun(t, &crowd{id: "many", slots: 50})
		l.setting.Workflow.Definition = param.Of("max_active_attempts", param.Of("limit", 1, "on_exceed", "reject"))
		body := param.Of("+a", param.Of("echo>", 1))
		first := start(t, l.Flusher, l.setting, 0, body)
		l.setting.Session.Time = l.setting.Session.Time.Add(time.Second)
		if _, err := l.Start(t.Context(), request(t, l.setting, body)); !errors.Is(err, trowel.ErrLimit) {
			t.Errorf("second attempt: error = %v, want ErrLimit", err)
		}
		end(t, first)
		end(t, start(t, l.Flusher, l.setting, time.Second, body))
	})
}
