package flush_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// TestNothingWaits runs random workflows on a store without faults. Whenever nobody has anything to do, no task
// may be ready that some agent has a slot for and that all limits have room for (control K808), and no attempt may
// wait that could be admitted (control K813).
func TestNothingWaits(t *testing.T) {
	t.Parallel()
	play(t, func(t *testing.T, number uint64) error {
		t.Helper()
		return newFaultRound(t, number).runCalm(t)
	})
}

// runCalm runs the round without faults and looks at the store whenever everybody waits.
func (f *faultRound) runCalm(t *testing.T) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	f.begin(t, trowtest.Store(t), func(*flush.Options) {})
	done := false
	var err error
	var running sync.WaitGroup
	running.Go(func() {
		err = f.attempts(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		done = true
	})
	var idle error
	for idle == nil {
		f.pause(10)
		synctest.Wait()
		idle = f.lookForIdle(ctx)
		f.mu.Lock()
		ended := done
		f.mu.Unlock()
		if ended {
			break
		}
	}
	if idle != nil {
		stop()
	}
	running.Wait()
	f.working.Wait()
	stop()
	f.flusher.Stop()
	return errors.Join(idle, err)
}

// lookForIdle finds a task that could run, or an attempt that could begin.
func (f *faultRound) lookForIdle(ctx context.Context) error {
	f.mu.Lock()
	free, aside := f.free, f.aside
	f.mu.Unlock()
	control, err := dig.ControlOf(f.context.Workflow.Definition)
	if err != nil {
		return err
	}
	return f.store.View(ctx, func(tx trowel.Tx) error {
		pools, errPools := tx.ListPools(ctx)
		uses, errUses := tx.ListCounters(ctx)
		admitted, errAdmitted := tx.CountAdmitted(ctx, f.context.Project.ID, f.context.Workflow.Name)
		waiting, errWaiting := tx.ListWaiting(ctx, f.context.Project.ID, f.context.Workflow.Name, 10)
		running, errRunning := tx.ListRunning(ctx, 0, 1000)
		if err := errors.Join(errPools, errUses, errAdmitted, errWaiting, errRunning); err != nil {
			return err
		}
		if len(waiting) > 0 && admitted < control.ActiveAttempts {
			return fmt.Errorf("attempts %v wait while %d of %d are admitted", waiting, admitted, control.ActiveAttempts)
		}
		site := room{uses: uses, pools: map[string]*trowel.Pool{}, most: f.site, perWorkflow: control.TasksPerWorkflow}
		for _, p := range pools {
			site.pools[p.Name] = p
		}
		for _, a := range running {
			rows, err := tx.ListTasks(ctx, a.ID, -1)
			if err != nil {
				return err
			}
			if n := hold(rows, "", map[string]int{}, map[string]int{}); control.TasksPerAttempt > 0 && n >= control.TasksPerAttempt {
				continue
			}
			w := trowel.WorkflowName{ProjectID: a.ProjectID, Name: a.Workflow}
			for _, row := range rows {
				slots := free
				if row.Requirements.QueueName() != trowel.DefaultQueue {
					slots = aside
				}
				if row.State == trowel.TaskReady && slots > 0 && site.has(row, w) {
					return fmt.Errorf("%s is ready, and could run; counters are %v", row.FullName, uses)
				}
			}
		}
		return nil
	})
}

// room is what limits leave, without any regard to who comes first.
type room struct {
	uses              map[string]int
	pools             map[string]*trowel.Pool
	most, perWorkflow int
}

func (r *room) has(row *trowel.Task, w trowel.WorkflowName) bool {
	if r.most > 0 && r.uses[queue.SiteCounter] >= r.most || r.perWorkflow > 0 && r.uses[queue.WorkflowCounter(w)] >= r.perWorkflow {
		return false
	}
	for _, need := range row.Requirements.PoolRequirements() {
		p := r.pools[need.Name]
		if p == nil || p.Slots != trowel.Unlimited && r.uses[p.Counter()]+need.Slots > p.Slots {
			return false
		}
	}
	if row.Requirements == nil || row.Requirements.Concurrency == nil {
		return true
	}
	c := row.Requirements.Concurrency
	use := queue.ConcurrencyCounter(c, w, row.AttemptID)
	_, held := row.Acquired[use]
	return held || c.Fail || r.uses[use] < c.Limit
}
