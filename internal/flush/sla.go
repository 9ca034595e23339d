package flush

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// slaRequest adds the tasks of an SLA whose instant has come.
type slaRequest struct {
	unanswered

	attempt trowel.AttemptID
	config  *param.Map
}

func (r *slaRequest) target() trowel.AttemptID { return r.attempt }

// apply adds the tasks in the transaction that deletes the monitor. So it happens once, whichever server
// comes first (language S46).
func (r *slaRequest) apply(ctx context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	if !a.running() {
		return nil
	}
	monitor, err := t.tx.FindSLATimer(ctx, a.id)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if monitor.DueAt.After(t.at) { // the clock stepped back
		t.effects.monitors = append(t.effects.monitors, *monitor)
		return nil
	}
	if err := t.tx.DeleteSLATimer(ctx, a.id); err != nil {
		return err
	}
	t.apply(a, engine.SLA{Config: r.config}, actorEngine)
	return nil
}
