package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// evaluatedRequest delivers the evaluated options of a task.
type evaluatedRequest struct {
	unanswered

	attempt   trowel.AttemptID
	answer    engine.Evaluated
	evaluator *evaluator
}

func (r *evaluatedRequest) target() trowel.AttemptID { return r.attempt }

// refuse lets the options be evaluated again.
func (r *evaluatedRequest) refuse(error) { delete(r.evaluator.asked, r.answer.Task) }

func (r *evaluatedRequest) apply(_ context.Context, t *txn) error {
	delete(r.evaluator.asked, r.answer.Task) // also if another server was faster
	if a := t.cache.get(r.attempt); a.running() {
		t.apply(a, r.answer, actorEngine)
	}
	return nil
}
