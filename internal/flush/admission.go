package flush

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// admitAtOnce is how many waiting attempts of a workflow are submitted at a time. If one of them begins,
// the next ones are submitted.
const admitAtOnce = 10

// admission begins attempts that had to wait: until others of their workflow ended (control K813), or until
// a pause of the workflow ended (control K816).
type admission struct {
	store     trowel.Store
	log       *slog.Logger
	inbox     *inbox
	workflows *workflows

	// waiting has the workflows that may have waiting attempts. Only the goroutine of Run uses it.
	waiting map[trowel.WorkflowName]bool

	mu        sync.Mutex
	requested map[trowel.WorkflowName]bool // workflows whose waiting attempts are to be checked
}

// request asks for a check of the waiting attempts of a workflow.
func (ad *admission) request(w trowel.WorkflowName) {
	ad.mu.Lock()
	ad.requested[w] = true
	ad.mu.Unlock()
	ad.inbox.wake.Set()
}

// requestAll asks for a check of all waiting attempts, in case a message was lost.
func (ad *admission) requestAll(ctx context.Context) error {
	var names []trowel.WorkflowName
	err := ad.store.View(ctx, func(tx trowel.Tx) (err error) {
		names, err = tx.ListWaitingWorkflows(ctx)
		return err
	})
	for _, w := range names {
		ad.request(w)
	}
	return err
}

// take returns the workflows to check, and clears the list.
func (ad *admission) take() map[trowel.WorkflowName]bool {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	if len(ad.requested) == 0 {
		return nil
	}
	names := ad.requested
	ad.requested = map[trowel.WorkflowName]bool{}
	return names
}

// submitWaiting submits the waiting attempts of the workflows to check, oldest first.
func (ad *admission) submitWaiting(ctx context.Context) {
	for w := range ad.take() {
		var ids []trowel.AttemptID
		err := ad.store.View(ctx, func(tx trowel.Tx) (err error) {
			ids, err = tx.ListWaiting(ctx, w.ProjectID, w.Name, admitAtOnce)
			return err
		})
		if err != nil {
			ad.log.WarnContext(ctx, "waiting attempts not listed", slog.String("workflow", w.Name), slog.Any("error", err))
			ad.request(w)
			backOff(ctx, maxTries)
			continue
		}
		if len(ids) == 0 {
			delete(ad.waiting, w)
			continue
		}
		ad.waiting[w] = true
		for _, id := range ids {
			ad.inbox.submit(&admitRequest{attempt: id, workflow: w, mayBeMore: len(ids) == admitAtOnce, admission: ad})
		}
	}
}

// admitted is a request that lets an attempt begin.
type admitted interface {
	request
	// ofWorkflow returns the workflow of the attempt, and whether its attempts are admitted one by one.
	ofWorkflow() (name trowel.WorkflowName, oneByOne bool)
}

// lock makes sure that only one transaction at a time admits attempts of a workflow with a limit. It must
// come before all other locks.
func (ad *admission) lock(ctx context.Context, t *txn, batch []request) error {
	names := map[string]bool{}
	begins := false
	for _, r := range batch {
		if a, ok := r.(admitted); ok {
			begins = true
			if name, oneByOne := a.ofWorkflow(); oneByOne {
				names[queue.AdmissionCounter(name)] = true
			}
		}
	}
	if len(names) > 0 {
		if _, err := t.tx.LockCounters(ctx, slices.Collect(maps.Keys(names))); err != nil {
			return err
		}
	}
	if !begins {
		return nil
	}
	return t.admissions.load(ctx, t.tx)
}

// requestAfter asks for a check of each workflow that has an ended attempt in the batch, if others may wait
// for that. The waiting attempts may belong to another revision than the ended ones.
func (ad *admission) requestAfter(b *Batch) {
	var names []trowel.WorkflowName
	for i := range b.Ended {
		s := b.settings[b.Ended[i].ID]
		if s == nil || ad.workflows.of(&s.Workflow).ActiveAttempts == 0 && !ad.waiting[nameOf(s)] {
			continue
		}
		if name := nameOf(s); !slices.Contains(names, name) {
			names = append(names, name)
			ad.request(name)
		}
	}
}
