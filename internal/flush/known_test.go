package flush_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// What another server has given back is known as soon as it keeps something, and not a second later.
func TestGivenBackElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		claimed := make(chan time.Time, 2)
		agent := &trowtest.Agent{Name: "one", Slots: 1, Work: func(l *trowel.Lease) trowel.Report {
			claimed <- time.Now()
			<-time.After(time.Minute)
			return trowtest.Success(l)
		}}
		f := begun(t, agent, &trowel.Pool{Name: "one", Slots: 1})
		other := trowtest.RunFlusher(t, flush.Options{Store: f.Store})
		agent.ReportTo(other)
		body := param.Of("+a", param.Of("echo>", 1, "_pool", "one"))
		first := f.Begin(0, body)
		later := f.Begin(time.Second, body)
		began := <-claimed
		<-time.After(time.Minute)
		synctest.Wait()
		agent.ReportTo(f.Flusher)
		f.LimitsChanged()
		if took := (<-claimed).Sub(began); took > time.Minute+time.Second/2 {
			t.Errorf("the next task was claimed after %v, want it at once after a minute", took)
		}
		<-later.Ended
		f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{first.Attempt.ID}})
		<-first.Ended
	})
}

// A chain of tasks does not keep older ones of the attempt from its place under max_active_tasks (control K807).
func TestOlderTasksOfAttemptFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		f := begun(t, many(func(l *trowel.Lease) trowel.Report {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, l.FullName)
			return trowtest.Success(l)
		}))
		f.Context.Workflow.Definition = param.Of("max_active_tasks", param.Of("per_attempt", 1))
		f.End(f.Begin(0, param.Of("_parallel", true,
			"+chain", param.Of("+1", param.Of("echo>", 1), "+2", param.Of("echo>", 1), "+3", param.Of("echo>", 1)),
			"+old", param.Of("echo>", 1))))
		if diff := cmp.Diff([]string{"+w+chain+1", "+w+old", "+w+chain+2", "+w+chain+3"}, order); diff != "" {
			t.Errorf("order of tasks (-want +got):\n%s", diff)
		}
	})
}

// Tasks of a project that gets a default pool of its own give back what they have taken from that of the site, and
// take from their own, also if it is without limit.
func TestDefaultPoolOfProject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, many(func(l *trowel.Lease) trowel.Report {
			<-time.After(time.Minute)
			return trowtest.Success(l)
		}))
		change := func(do func(tx trowel.Tx) error) {
			trowtest.Update(t, f.Store, func(tx trowel.Tx) error {
				if err := do(tx); err != nil {
					return err
				}
				_, err := tx.RecountCounters(t.Context())
				return err
			})
			f.LimitsChanged()
		}
		change(func(tx trowel.Tx) error {
			pools, err := tx.ListPools(t.Context())
			if err == nil {
				pools[0].Slots = 5
				err = tx.UpdatePool(t.Context(), pools[0])
			}
			return err
		})
		first := f.Begin(0, group(1))
		change(func(tx trowel.Tx) error {
			now := time.Now()
			return tx.InsertPool(t.Context(), &trowel.Pool{
				ProjectID: f.Context.Project.ID, Name: trowel.DefaultPool, Slots: trowel.Unlimited, CreatedAt: now, UpdatedAt: now,
			})
		})
		second := f.Begin(time.Second, group(1))
		synctest.Wait()
		err := f.Store.View(t.Context(), func(tx trowel.Tx) error {
			uses, errUses := tx.ListCounters(t.Context())
			held, err := tx.CountAcquired(t.Context())
			if diff := cmp.Diff(held, uses); diff != "" || len(held) != 2 {
				t.Errorf("counters (-held +used):\n%s", diff)
			}
			if errUses != nil {
				return errUses
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		<-first.Ended
		<-second.Ended
		checkCounters(t, f)
	})
}
