package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// admitRequest lets a stored attempt begin that waits, if it may now.
type admitRequest struct {
	unanswered

	attempt   trowel.AttemptID
	workflow  trowel.WorkflowName
	mayBeMore bool // others of the workflow may wait as well
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
		return nil // it waits for something else now, which package reason says to whoever asks
	}
	t.apply(a, engine.Admit{}, actorEngine)
	t.admissions.add(a.workflow)
	r.next()
	return nil
}

// next has others looked at that wait, as this attempt does not wait any more.
func (r *admitRequest) next() {
	if r.mayBeMore {
		r.admission.request(r.workflow)
	}
}
