package flush

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// reportRequest delivers the end of a try.
type reportRequest struct {
	unanswered

	report engine.Report
	err    error // why nothing was changed; set by apply
}

func (r *reportRequest) target() trowel.AttemptID { return r.report.AttemptID }

func (r *reportRequest) apply(_ context.Context, t *txn) error {
	t.keepLogs(&r.report.Report)
	a := t.cache.get(r.report.AttemptID)
	if !a.running() {
		r.err = trowel.ErrNotFound
		return nil
	}
	first := len(t.changes.audits)
	applied := t.apply(a, &r.report, actorEngine) // a pointer saves a copy for each task
	t.changes.nameAgent(first, &r.report.Report)
	r.err = nil
	if len(applied.Changes) == 0 && len(applied.Tries) == 0 {
		r.err = fmt.Errorf("%w: try %d of task %d is not the present one", trowel.ErrConflict, r.report.Try, r.report.TaskID)
	}
	return nil
}

func (r *reportRequest) refuse(err error) { r.err = err }

func (r *reportRequest) resolve(err error) {
	if r.report.Answer == nil {
		return
	}
	if err == nil {
		err = r.err
	}
	r.report.Answer(err)
}

// giveUp makes the report a failure of its task, as the store refuses the result. It returns false if it is a
// failure already.
func (r *reportRequest) giveUp(cause error) bool {
	old := &r.report.Report
	if old.Outcome == trowel.OutcomeFailure {
		return false
	}
	r.report.Report = trowel.Report{
		Answer: old.Answer, TaskID: old.TaskID, AttemptID: old.AttemptID, Try: old.Try, StartedAt: old.StartedAt, EndedAt: old.EndedAt,
		Outcome: trowel.OutcomeFailure, Error: trowel.ErrorObject("cannot store the result of the task: "+cause.Error(), "internal"),
	}
	return true
}
