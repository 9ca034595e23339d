package flush_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// An attempt of a backfill whose beginning is tried several times, as the store was away, has one end,
// and the flusher goes on after it.
func TestDelayedAttemptBegunInAnOutage(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.Commit, storetest.AfterCommit} {
		synctest.Test(t, func(t *testing.T) {
			var failures atomic.Int64
			f := beginWith(t, trowtest.Success, func(o *flush.Options) {
				asServer(o)
				o.Store = storetest.NewFaulty(o.Store, func() storetest.Plan {
					if failures.Add(-1) >= 0 {
						return storetest.Plan{Fault: fault}
					}
					return storetest.Plan{}
				})
			})
			row := trowel.Attempt{WorkflowID: f.Context.Workflow.ID, Zone: "UTC", Cause: "backfill", CreatedAt: time.Now()}
			trowtest.Update(t, f.Store, func(tx trowel.Tx) error {
				if err := tx.InsertAttempt(t.Context(), &f.Context.Session, &row); err != nil {
					return err
				}
				return tx.InsertQueuedBackfillAttempt(t.Context(), &trowel.QueuedBackfillAttempt{AttemptID: row.ID, NextRunAt: time.Now()})
			})
			synctest.Wait()
			failures.Store(3)
			request := f.Request(group(3))
			request.Attempt = row
			started, err := f.Start(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Status(started); got != "success" {
				t.Errorf("attempt ended as %s, want success", got)
			}
			if err := f.Barrier(t.Context()); err != nil {
				t.Errorf("the flusher does not go on: %v", err)
			}
			if len(started.Ended) > 0 {
				t.Error("the attempt has ended twice")
			}
		})
	}
}
