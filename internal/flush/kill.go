package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// killRequest asks all tasks of an attempt to stop.
type killRequest struct {
	reply

	record *trowel.AuditRecord // for the audit; nil for none
}

func newKill(id trowel.AttemptID, actor string, record *trowel.AuditRecord) *killRequest {
	r := &killRequest{record: record}
	r.begin(id, actor)
	return r
}

func (r *killRequest) target() trowel.AttemptID { return r.attempt }

func (r *killRequest) apply(_ context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	switch {
	case a.running():
		r.err = nil
		if t.kill(a, r.actor) && r.record != nil {
			t.changes.record(r.record, a)
		}
	case t.hasEnded(r.attempt):
		r.err = &trowel.Error{Kind: trowel.ErrConflict, Message: trowel.TextAttemptEnded}
	default:
		r.err = trowel.ErrNotFound
	}
	return nil
}
