package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// dueRequest continues a waiting task whose instant has come.
type dueRequest struct {
	unanswered

	attempt trowel.AttemptID
	task    trowel.TaskID
}

func (r *dueRequest) target() trowel.AttemptID { return r.attempt }

func (r *dueRequest) apply(_ context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	if !a.running() {
		return nil
	}
	t.apply(a, engine.Due{Task: r.task}, actorEngine)
	if row := a.tree.Find(r.task); row != nil && row.RetryAt.After(t.at) { // the clock stepped back
		t.effects.early = append(t.effects.early, earlyTask{a, row})
	}
	return nil
}
