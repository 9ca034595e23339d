package flush_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// A killed task with a job outside is given to an agent once more, to cancel it, however full pools and limits are. It
// takes nothing from them (operators 1.14, control K111).
func TestCancelNeedsNoRoom(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		options  []any
		pools    []*trowel.Pool
		workflow *param.Map
		site     int
		// ofDefault is how many slots the default pool has; 0 for any number.
		ofDefault int
	}{
		{name: "nothing is limited"},
		{name: "the default pool", ofDefault: 1},
		{name: "a pool", options: []any{"_pool", "one"}, pools: []*trowel.Pool{{Name: "one", Slots: 1}}},
		{name: "two slots of a pool", options: []any{"_pool", param.Of("name", "two", "slots", 2)}, pools: []*trowel.Pool{{Name: "two", Slots: 2}}},
		{name: "concurrency", options: []any{"_concurrency", param.Of("limit", 1, "key", "k", "include_waiting", false)}},
		{name: "concurrency that makes tasks fail", options: []any{"_concurrency", param.Of("limit", 1, "key", "k", "include_waiting", false, "on_limit", "fail")}},
		{name: "tasks of the workflow", workflow: param.Of("max_active_tasks", param.Of("per_workflow", 1))},
		{name: "tasks of the site", site: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				given := make(chan *trowel.Lease, 10)
				agent := &trowtest.Agent{Name: "agent", Slots: 5, Take: func(l *trowel.Lease) { given <- l }}
				store := openStore(t)
				trowtest.PutAgent(t, store, agent.Name, 24*time.Hour)
				if row.ofDefault > 0 {
					limitDefault(t, store, row.ofDefault)
				}
				f := trowtest.New(t, trowtest.Options{Store: store, Agent: agent, Pools: row.pools, Flusher: func(o *flush.Options) {
					asServer(o)
					o.Rules, o.MaxRunning = queue.Rules{ReserveAfter: time.Minute}, row.site
				}})
				f.Context.Workflow.Definition = row.workflow
				body := group(1, row.options...)
				first := f.Begin(0, body)
				poll := <-given
				agent.Report(poll, trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: time.Hour, StateParams: param.Of("job", "j1"), Job: true})
				second := f.Begin(time.Hour, body)
				other := <-given // has all the room now
				if err := f.Kill(t.Context(), first.Attempt.ID, "me"); err != nil {
					t.Fatal(err)
				}
				cancel := <-given
				if !cancel.Cancel || !cancel.Job || cancel.TaskID != poll.TaskID || cancel.Try != 2 || param.JSON(cancel.StateParams) != `{"job":"j1"}` {
					t.Errorf("lease = %+v, want one that cancels job j1 of task %d", cancel, poll.TaskID)
				}
				checkTaken(t, f.Store)
				agent.Report(cancel, trowel.Report{Outcome: trowel.OutcomeReleased})
				cancel = <-given
				if !cancel.Cancel || cancel.Try != 3 {
					t.Errorf("lease = %+v, want the job to be canceled by another try", cancel)
				}
				agent.Report(cancel, trowel.Report{Outcome: trowel.OutcomeSuccess})
				if got := f.Status(first); got != "killed" {
					t.Errorf("the first attempt ended as %s, want killed", got)
				}
				checkTaken(t, f.Store)
				agent.Report(other, trowel.Report{Outcome: trowel.OutcomeSuccess})
				if got := f.Status(second); got != "success" {
					t.Errorf("the second attempt ended as %s, want success", got)
				}
				checkCounters(t, f)
			})
		})
	}
}

// limitDefault gives the default pool a number of slots.
func limitDefault(t *testing.T, store trowel.Store, slots int) {
	t.Helper()
	trowtest.Update(t, store, func(tx trowel.Tx) error {
		if err := tx.LockLimits(t.Context()); err != nil {
			return err
		}
		pools, err := tx.ListPools(t.Context())
		if err != nil {
			return err
		}
		for _, pool := range pools {
			if pool.Name == trowel.DefaultPool {
				pool.Slots = slots
				err = tx.UpdatePool(t.Context(), pool)
			}
		}
		return err
	})
}

// checkTaken checks that the counters of limits are what tasks hold.
func checkTaken(t *testing.T, store trowel.Store) {
	t.Helper()
	trowtest.View(t, store, func(tx trowel.Tx) error {
		want, err := tx.CountAcquired(t.Context())
		if err != nil {
			return err
		}
		got, err := tx.ListCounters(t.Context())
		if !maps.Equal(got, want) {
			t.Errorf("counters = %v, tasks hold %v", got, want)
		}
		return err
	})
}
