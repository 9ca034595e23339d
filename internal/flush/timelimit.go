package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// timeLimitRequest kills an attempt if it, or a task of it, has taken too long (language X62).
type timeLimitRequest struct {
	unanswered

	attempt trowel.AttemptID
	ttls    engine.TTLs
}

func (r *timeLimitRequest) target() trowel.AttemptID { return r.attempt }

func (r *timeLimitRequest) apply(_ context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	if !a.running() {
		return nil
	}
	message, next := a.tree.Overdue(t.at, r.ttls)
	if message == "" {
		t.effects.limits = append(t.effects.limits, limitAlarm{a, next})
		return nil
	}
	t.changes.batch.Timeouts = append(t.changes.batch.Timeouts, Timeout{a.tree.Attempt, message})
	t.kill(a, actorEngine)
	return nil
}
