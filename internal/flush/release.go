package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// releaseRequest takes a try away from an agent that is gone.
type releaseRequest struct {
	unanswered

	attempt trowel.AttemptID
	release engine.Release
}

func (r *releaseRequest) target() trowel.AttemptID { return r.attempt }

func (r *releaseRequest) apply(_ context.Context, t *txn) error {
	if a := t.cache.get(r.attempt); a.running() {
		t.apply(a, r.release, actorEngine)
	}
	return nil
}
