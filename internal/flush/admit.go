package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// admitRequest begins a waiting attempt, if it may begin now.
type admitRequest struct {
	unanswered

	attempt   trowel.AttemptID
	workflow  trowel.WorkflowName
	mayBeMore bool // more attempts of the workflow may be waiting
	admission *admission
}

func (r *admitRequest) target() trowel.AttemptID { return r.attempt }

func (r *admitRequest) ofWorkflow() (trowel.WorkflowName, bool) { return r.workflow, true }

func (r *admitRequest) apply(ctx context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	if !a.running() || a.tree.Attempt.WaitReason == "" {
		r.next()
		return nil
	}
	reason, err := t.waitReason(ctx, a.workflow, a.control)
	if err != nil || reason == a.tree.Attempt.WaitReason {
		return err
	}
	if reason != "" {
		return nil // it waits for something else now; package reason explains that
	}
	t.apply(a, engine.Admit{}, actorEngine)
	t.admissions.add(a.workflow)
	r.next()
	return nil
}

// next asks for a check of the attempts that wait behind this one.
func (r *admitRequest) next() {
	if r.mayBeMore {
		r.admission.request(r.workflow)
	}
}
