package flush_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// limit draws the limits of a round: pools with room for what cases ask for at least, and limits of the
// workflow and of the site.
func (f *faultRound) limit() {
	for _, name := range []string{"p1", "p2", "p3"} {
		f.pools = append(f.pools, &trowel.Pool{Name: name, Slots: 3 + f.rng.IntN(2)})
	}
	if f.rng.IntN(2) == 0 {
		f.pools = append(f.pools, &trowel.Pool{Name: trowel.DefaultPool, Slots: 3 + f.rng.IntN(3)})
	}
	f.control = param.New()
	if f.rng.IntN(3) == 0 {
		f.control.Set("max_active_attempts", 1+f.rng.Int64N(2))
	}
	if f.rng.IntN(3) == 0 {
		f.control.Set("max_active_tasks", param.Of("per_attempt", 1+f.rng.Int64N(3), "per_workflow", 2+f.rng.Int64N(4)))
	}
	if f.rng.IntN(4) == 0 {
		f.site = 2 + f.rng.IntN(4)
	}
}

// putPools stores the pools; the default pool is there already, without limit.
func (f *faultRound) putPools(ctx context.Context, tx trowel.Tx) error {
	there, err := tx.ListPools(ctx)
	if err != nil {
		return err
	}
	for _, p := range f.pools {
		p.CreatedAt, p.UpdatedAt = time.Now(), time.Now()
		if p.Name != trowel.DefaultPool {
			err = errors.Join(err, tx.InsertPool(ctx, p))
			continue
		}
		there[0].Slots = p.Slots
		err = errors.Join(err, tx.UpdatePool(ctx, there[0]))
	}
	return err
}

// options evaluates options of tasks as their cases say.
type options struct{ f *faultRound }

// Config implements flush.Evaluator.
func (o options) Config(_ context.Context, scope, local *param.Map, _ *time.Location) (*param.Map, error) {
	o.f.pause(30)
	at, _ := scope.Get("session_unixtime")
	name, _ := scope.Get("task_name")
	seconds, _ := param.AsInt(at)
	text, _ := param.AsString(name)
	o.f.mu.Lock()
	k := o.f.of[int64(seconds)]
	o.f.mu.Unlock()
	return optionsOf(k, text, local.Keys())
}

// optionsOf is what expressions in options of a task give, every time; of some they give an error.
func optionsOf(k model.Case, name string, keys []string) (*param.Map, error) {
	if len(name)%7 == 0 {
		return nil, errors.New("ReferenceError: pool is not defined")
	}
	return k.Values(&model.Task{Name: name}, slices.Sorted(slices.Values(keys))), nil
}

// otherAgent is the other agent of a round, which serves the other queues.
type otherAgent struct{ *faultRound }

func (s *otherAgent) ID() string                         { return "other" }
func (s *otherAgent) Allows(*trowel.Requirements) bool   { return true }
func (s *otherAgent) Serves(n *trowel.Requirements) bool { return n.QueueName() != trowel.DefaultQueue }

func (s *otherAgent) Free() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aside
}

func (s *otherAgent) Assign(leases []*trowel.Lease) {
	for _, l := range leases {
		r := s.given(l, &s.aside)
		s.working.Go(func() { s.work(r, &s.aside) })
	}
}

// checkedStore is a store that looks at each transaction before it is committed: counters must say what tasks
// hold, and no limit may be exceeded.
type checkedStore struct {
	trowel.Store

	context *trowel.AttemptContext
	site    int

	mu    sync.Mutex
	found []error
}

// Update implements trowel.Store.
func (l *checkedStore) Update(ctx context.Context, do func(trowel.Tx) error) error {
	return l.Store.Update(ctx, func(tx trowel.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		l.note(ctx, l.check(ctx, tx))
		return nil
	})
}

// look checks the store while nobody claims or gives back.
func (l *checkedStore) look(ctx context.Context) {
	l.note(ctx, l.Store.Update(ctx, func(tx trowel.Tx) error {
		if err := tx.LockLimits(ctx); err != nil {
			return err
		}
		return l.check(ctx, tx)
	}))
}

func (l *checkedStore) note(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = append(l.found, err)
}

// errors returns the first finding.
func (l *checkedStore) errors() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.found) == 0 {
		return nil
	}
	return fmt.Errorf("%d transactions left limits wrong, the first: %w", len(l.found), l.found[0])
}

func (l *checkedStore) check(ctx context.Context, tx trowel.Tx) error {
	control, err := dig.ControlOf(l.context.Workflow.Definition)
	if err != nil {
		return err
	}
	pools, errPools := tx.ListPools(ctx)
	uses, errUses := tx.ListCounters(ctx)
	admitted, errAdmitted := tx.CountAdmitted(ctx, l.context.Project.ID, l.context.Workflow.Name)
	running, errRunning := tx.ListRunning(ctx, 0, 1000)
	if err := errors.Join(errPools, errUses, errAdmitted, errRunning); err != nil {
		return err
	}
	limits := map[string]int{}
	if l.site > 0 {
		limits[queue.SiteCounter] = l.site
	}
	if control.TasksPerWorkflow > 0 {
		limits[queue.WorkflowCounter(trowel.WorkflowName{ProjectID: l.context.Project.ID, Name: l.context.Workflow.Name})] = control.TasksPerWorkflow
	}
	unkept := ""
	for _, p := range pools {
		if p.Slots == trowel.Unlimited {
			continue
		}
		limits[p.Counter()] = p.Slots
		if p.Name == trowel.DefaultPool {
			unkept = p.Counter()
		}
	}
	held := map[string]int{}
	for _, a := range running {
		rows, err := tx.ListTasks(ctx, a.ID, -1)
		if err != nil {
			return err
		}
		if n := hold(rows, unkept, held, limits); control.TasksPerAttempt > 0 && n > control.TasksPerAttempt {
			return fmt.Errorf("%d tasks of attempt %d run, the limit is %d", n, a.ID, control.TasksPerAttempt)
		}
	}
	if !maps.Equal(held, uses) {
		return fmt.Errorf("tasks hold %v, counters are %v", held, uses)
	}
	for name, n := range uses {
		if limit, limited := limits[name]; limited && n > limit {
			return fmt.Errorf("%s is %d, the limit is %d", name, n, limit)
		}
	}
	if control.ActiveAttempts > 0 && admitted > control.ActiveAttempts {
		return fmt.Errorf("%d attempts are admitted, the limit is %d", admitted, control.ActiveAttempts)
	}
	return nil
}

// hold adds up what tasks of an attempt hold, and returns how many run. unkept is the counter of those that
// do not say which pool. Limits of concurrency are learned from the tasks.
func hold(rows []*trowel.Task, unkept string, held, limits map[string]int) (running int) {
	for _, row := range rows {
		for name, n := range row.Acquired {
			if n != 0 { // see trowel.Acquired.WithoutSlot
				held[name] += n
			}
		}
		if row.State == trowel.TaskRunning {
			if !row.Flags.Canceling() { // a try that only cancels a job takes no part in limits
				running++
			}
			if unkept != "" && !row.Acquired.HasPool() {
				held[unkept]++
			}
		}
		if row.Requirements == nil || row.Requirements.Concurrency == nil {
			continue
		}
		c := row.Requirements.Concurrency
		for name := range row.Acquired {
			if trowel.KindOfCounter(name) == trowel.CounterConcurrency {
				limits[name] = c.Limit
			}
		}
	}
	return running
}

// nothingHeld checks that nothing is held when all attempts have ended.
func (f *faultRound) nothingHeld(ctx context.Context) error {
	return f.store.View(ctx, func(tx trowel.Tx) error {
		uses, err := tx.ListCounters(ctx)
		if err == nil && len(uses) > 0 {
			err = fmt.Errorf("all attempts have ended, and counters are %v", uses)
		}
		return err
	})
}
