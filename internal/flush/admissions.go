package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// admissions is what a transaction knows about the limits of running attempts.
type admissions struct {
	paused    map[trowel.WorkflowName]bool
	active    map[trowel.WorkflowName]int // how many admitted attempts run, for each workflow that was counted
	unbegun   map[trowel.AttemptID]bool   // attempts that ended in this transaction and had never begun
	recounted bool                        // this transaction has counted the running attempts of the site
}

// load reads which workflows are paused.
func (ad *admissions) load(ctx context.Context, tx trowel.Tx) error {
	pauses, err := tx.ListPauses(ctx)
	if err != nil {
		return err
	}
	ad.paused = map[trowel.WorkflowName]bool{}
	for _, p := range pauses {
		ad.paused[trowel.WorkflowName{ProjectID: p.ProjectID, Name: p.Workflow}] = true
	}
	ad.active = map[trowel.WorkflowName]int{}
	return nil
}

// endedUnbegun records that an attempt has ended in this transaction and had never begun.
func (ad *admissions) endedUnbegun(id trowel.AttemptID) {
	if ad.unbegun == nil {
		ad.unbegun = map[trowel.AttemptID]bool{}
	}
	ad.unbegun[id] = true
}

// add counts an attempt that begins in this transaction.
func (ad *admissions) add(name trowel.WorkflowName) {
	if active, counted := ad.active[name]; counted {
		ad.active[name] = active + 1
	}
}

// waitReason returns why an attempt must wait before it begins (control K813, K816); empty if it may begin
// now. A caller that begins it must call admissions.add.
func (t *txn) waitReason(ctx context.Context, name trowel.WorkflowName, control trowel.WorkflowLimits) (trowel.WaitCode, error) {
	if t.admissions.paused[name] {
		return trowel.WaitWorkflowPaused, nil
	}
	if control.ActiveAttempts == 0 {
		return "", nil
	}
	active, counted := t.admissions.active[name]
	if !counted {
		var err error
		if active, err = t.tx.CountAdmitted(ctx, name.ProjectID, name.Name); err != nil {
			return "", err
		}
		batch := &t.changes.batch
		for i := range batch.Ended { // what has ended in this transaction is not written yet
			id := batch.Ended[i].ID
			if s := batch.settings[id]; s != nil && nameOf(s) == name && !t.admissions.unbegun[id] {
				active--
			}
		}
		t.admissions.active[name] = active
	}
	if active >= control.ActiveAttempts {
		return trowel.WaitAttemptsLimit, nil
	}
	return "", nil
}
