package remote_test

import (
	"context"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
)

// The result of a task whose attempt has a flag of a later version is kept by the agent, and results of others are taken,
// also in the same request. Once the flag is gone it is stored.
func TestResultOfUnknown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	begun, release := make(chan struct{}, 8), make(chan struct{})
	f.connect(t, func(context.Context, *operator.Request) (operator.Outcome, error) {
		begun <- struct{}{}
		<-release
		return operator.Outcome{}, nil
	}, nil, h.URL)
	strange, plain := h.start(t, one("x")), h.start(t, one("y"))
	within(t, begun, "a task")
	within(t, begun, "another task")
	mark := func(flags trowel.AttemptFlags) {
		t.Helper()
		f.update(t, func(tx trowel.Tx) error {
			rows, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{strange.Attempt.ID})
			if err != nil {
				return err
			}
			rows[0].Flags = flags
			rows[0].Version++
			return tx.UpdateAttempts(t.Context(), rows...)
		})
	}
	mark(256)
	close(release)
	if got := result(t, plain); got != "success" {
		t.Errorf("the other attempt ended as %s, want success", got)
	}
	if got := result(t, h.start(t, one("z"))); got != "success" {
		t.Errorf("an attempt after that ended as %s, want success", got)
	}
	mark(0)
	if got := result(t, strange); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
	if tries := f.tries(t, strange.Attempt.ID); len(tries) != 1 {
		t.Errorf("the task was tried %d times, want once: %+v", len(tries), tries)
	}
}
