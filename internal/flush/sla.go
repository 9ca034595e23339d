package flush

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// loadExtras reads what an attempt has besides its tasks, for an image that is read from the store.
func (f *Flusher) loadExtras(ctx context.Context, tx trowel.Tx, a *attempt) error {
	resumed, err := tx.ListResumed(ctx, a.id)
	if err != nil {
		return err
	}
	a.resumed = len(resumed) > 0
	a.KeepResumed(resumed)
	monitor, err := tx.FindMonitor(ctx, a.id)
	if errors.Is(err, trowel.ErrNotFound) {
		a.monitored = false
		return nil
	}
	if err != nil {
		return err
	}
	f.setMonitor(a, monitor)
	return nil
}

func (f *Flusher) setMonitor(a *attempt, m *trowel.Monitor) {
	a.monitored = true
	f.timers.set(a, m.DueAt, engine.SLA{Config: m.Config})
}

// fire adds the tasks of an SLA, in the transaction that deletes its monitor, so once only, whichever
// server comes first (language S46).
func (f *Flusher) fire(ctx context.Context, tx trowel.Tx, w *write, a *attempt, sla engine.SLA) error {
	monitor, err := tx.FindMonitor(ctx, a.id)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if monitor.DueAt.After(w.at) { // the clock stepped back
		w.monitors = append(w.monitors, *monitor)
		return nil
	}
	if err := tx.DeleteMonitor(ctx, a.id); err != nil {
		return err
	}
	f.applyTo(w, a, &event{attempt: a.id, what: sla})
	return nil
}

// deleteExtras deletes what loadExtras reads, when the attempt ends.
func (a *attempt) deleteExtras(ctx context.Context, tx trowel.Tx) error {
	if a.Len() == 0 { // killed while it waited for its turn
		if err := tx.DeleteDelayed(ctx, a.id); err != nil {
			return err
		}
	}
	if a.resumed {
		if err := tx.DeleteResumed(ctx, a.id); err != nil {
			return err
		}
	}
	if a.monitored {
		return tx.DeleteMonitor(ctx, a.id)
	}
	return nil
}
