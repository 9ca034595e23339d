package daemon

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/usage"
)

// The tasks that agents take in a batch are recorded by queue.
func TestUsageFeed(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := trowtest.Store(t)
	recorder := usage.New(usage.Options{Store: store, Now: clock, Log: slog.New(slog.DiscardHandler)})
	change := func(move trowel.Transition, needs *trowel.Requirements) engine.Change {
		return engine.Change{Task: &trowel.Task{ReadyAt: now.Add(-time.Second), Requirements: needs}, Transition: move}
	}
	gpu := &trowel.Requirements{Queue: "gpu"}
	usageFeed{recorder, clock}.Heard(&flush.Batch{Changes: []engine.Change{
		change(trowel.TransitionClaim, nil), change(trowel.TransitionClaim, gpu), change(trowel.TransitionClaim, gpu), change(trowel.TransitionSuccess, gpu),
	}})
	if err := recorder.WriteHandOffs(t.Context()); err != nil {
		t.Fatal(err)
	}
	totals := map[string]int{}
	trowtest.View(t, store, func(tx trowel.Tx) error {
		list, err := tx.ListHandOffs(t.Context(), now)
		for i := range list {
			totals[list[i].Queue] += list[i].Total()
		}
		return err
	})
	if diff := cmp.Diff(map[string]int{"default": 1, "gpu": 2}, totals); diff != "" {
		t.Errorf("hand-offs (-want +got):\n%s", diff)
	}
}
