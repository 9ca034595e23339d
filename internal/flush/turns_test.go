package flush_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// TestWorkflowsTakeTurns lets two workflows have many ready tasks and an agent with one slot (control K807).
func TestWorkflowsTakeTurns(t *testing.T) {
	t.Parallel()
	var order []trowel.AttemptID // of the agent's goroutine until both have ended
	both := make(chan struct{})
	f := newFixture(t, trowtest.Options{Agent: &trowtest.Agent{Name: "agent", Slots: 1, Work: func(l *trowel.Lease) trowel.Report {
		<-both
		order = append(order, l.AttemptID)
		return trowtest.Success(l)
	}}})
	wide := param.Of("_parallel", true, "+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1), "+c", param.Of("echo>", 1))
	first := f.Begin(0, wide)
	f.Context.Workflow.Name, f.Context.Session.Workflow = "other", "other"
	second := f.Begin(time.Second, wide)
	close(both)
	f.End(first)
	f.End(second)
	a, b := first.Attempt.ID, second.Attempt.ID
	if diff := cmp.Diff([]trowel.AttemptID{a, b, a, b, a, b}, order); diff != "" {
		t.Errorf("attempts whose tasks were claimed (-want +got):\n%s", diff)
	}
}

// steppingBack is a clock that steps back once, just after it has told that an instant has come.
type steppingBack struct {
	mu   sync.Mutex
	at   time.Time // zero until it is known
	back time.Duration
}

func (c *steppingBack) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Add(-c.back)
	if c.back == 0 && !c.at.IsZero() && !now.Before(c.at) {
		c.back = 30 * time.Millisecond
	}
	return now
}

// Committed implements flush.Observer.
func (c *steppingBack) Committed(batch *flush.Batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range batch.Changes {
		if change.To == trowel.TaskRetryWaiting {
			c.at = change.Task.RetryAt
		}
	}
	return nil
}

// TestClockStepsBack rings a timer and steps back before the transaction: the timer must ring again.
func TestClockStepsBack(t *testing.T) {
	t.Parallel()
	clock := &steppingBack{}
	f := beginWith(t, func(l *trowel.Lease) trowel.Report {
		if l.Try == 1 {
			return trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: 20 * time.Millisecond}
		}
		return trowtest.Success(l)
	}, func(o *flush.Options) { o.Now, o.Observers = clock.now, []flush.Observer{clock} })
	if got := f.Status(f.Begin(0, param.Of("+a", param.Of("wait>", 1)))); got != "success" {
		t.Errorf("attempt ended as %s, want success", got)
	}
}

// TestEndedByAnotherFlusher kills an attempt through a second flusher on the same store. The first
// hears of it when it comes to touch the attempt.
func TestEndedByAnotherFlusher(t *testing.T) {
	t.Parallel()
	f := beginWithoutRoom(t, nil)
	started := f.Begin(0, param.Of("+a", param.Of("echo>", 1)))
	other := trowtest.RunFlusher(t, flush.Options{Store: f.Store})
	if err := other.Kill(t.Context(), started.Attempt.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	if err := f.Kill(t.Context(), started.Attempt.ID, "somebody"); !errors.Is(err, trowel.ErrConflict) {
		t.Errorf("Kill of an attempt that is done: error = %v, want ErrConflict", err)
	}
	if got := f.Status(started); got != "killed" {
		t.Errorf("attempt ended as %s, want killed", got)
	}
}
