package flush_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

func success(*trowel.Lease) trowel.Report { return trowel.Report{Outcome: trowel.OutcomeSuccess} }

func start(t *testing.T, f *flush.Flusher, setting trowel.AttemptContext, after time.Duration, body *param.Map) *flush.Started {
	t.Helper()
	setting.Session.Time = setting.Session.Time.Add(after)
	started, err := f.Start(t.Context(), request(t, setting, body))
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// end waits for the end of an attempt.
func end(t *testing.T, started *flush.Started) trowel.Attempt {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	select {
	case a := <-started.Ended:
		return a
	case <-ctx.Done():
		t.Fatalf("attempt %d does not end", started.Attempt.ID)
	}
	return trowel.Attempt{}
}

// TestWorkflowsTakeTurns lets two workflows have many ready tasks and an agent with one slot (control K807).
func TestWorkflowsTakeTurns(t *testing.T) {
	t.Parallel()
	var order []trowel.AttemptID // of the agent's goroutine until both have ended
	both := make(chan struct{})
	f, _, setting := beginWith(t, func(l *trowel.Lease) trowel.Report {
		<-both
		order = append(order, l.AttemptID)
		return success(l)
	}, func(_ *flush.Options, a *scripted) { a.room = 1 })
	wide := param.Of("_parallel", true, "+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1), "+c", param.Of("echo>", 1))
	first := start(t, f, setting, 0, wide)
	setting.Workflow.Name, setting.Session.Workflow = "other", "other"
	second := start(t, f, setting, time.Second, wide)
	close(both)
	end(t, first)
	end(t, second)
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
	f, _, setting := beginWith(t, func(l *trowel.Lease) trowel.Report {
		if l.Try == 1 {
			return trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: 20 * time.Millisecond}
		}
		return success(l)
	}, func(o *flush.Options, _ *scripted) { o.Now, o.Observers = clock.now, []flush.Observer{clock} })
	if got := end(t, start(t, f, setting, 0, param.Of("+a", param.Of("wait>", 1)))).Flags.Status(); got != "success" {
		t.Errorf("attempt ended as %s, want success", got)
	}
}

// TestEndedByAnotherFlusher kills an attempt through a second flusher on the same store. The first
// hears of it when it comes to touch the attempt.
func TestEndedByAnotherFlusher(t *testing.T) {
	t.Parallel()
	noRoom := func(_ *flush.Options, a *scripted) { a.room = 0 }
	f, store, setting := beginWith(t, success, noRoom)
	started := start(t, f, setting, 0, param.Of("+a", param.Of("echo>", 1)))
	other := flush.New(flush.Options{
		Store: store, Agent: &scripted{}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1000}, Attempts: 100,
	})
	ctx, stop := context.WithCancel(t.Context())
	var flushing sync.WaitGroup
	flushing.Go(func() { _ = other.Run(ctx) })
	defer flushing.Wait()
	defer stop()
	if err := other.Kill(t.Context(), started.Attempt.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	if err := f.Kill(t.Context(), started.Attempt.ID, "somebody"); !errors.Is(err, trowel.ErrConflict) {
		t.Errorf("Kill of an attempt that is done: error = %v, want ErrConflict", err)
	}
	if got := end(t, started).Flags.Status(); got != "killed" {
		t.Errorf("attempt ended as %s, want killed", got)
	}
}
