package agent_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// TestWaitAfterStopSeesAllTasks stops an agent that is being given tasks: when Wait returns, no
// task is left that could still begin.
func TestWaitAfterStopSeesAllTasks(t *testing.T) {
	t.Parallel()
	for range 50 {
		var begun atomic.Int64
		first := make(chan struct{})
		a, _ := begin(t, operators(func(context.Context, *operator.Request) (operator.Outcome, error) {
			if begun.Add(1) == 1 {
				close(first)
			}
			return operator.Outcome{}, nil
		}), nil)
		var leases []*trowel.Lease
		for id := range int64(200) {
			leases = append(leases, lease(id+1, param.Of("do>", 1)))
		}
		var giving sync.WaitGroup
		giving.Go(func() { a.Assign(leases) })
		<-first
		a.Stop()
		a.Wait()
		atWait := begun.Load()
		giving.Wait()
		a.Wait()
		if late := begun.Load() - atWait; late != 0 {
			t.Fatalf("%d tasks began after Wait had returned", late)
		}
	}
}

// A task whose operator only reports that its context was canceled runs again if the agent stops, and fails if it was killed.
func TestCanceledWithoutCause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*agent.Agent)
		want trowel.Outcome
	}{
		"stopped": {(*agent.Agent).Stop, trowel.OutcomeReleased},
		"lost":    {func(a *agent.Agent) { a.Rebind("another") }, trowel.OutcomeReleased},
		"killed":  {func(a *agent.Agent) { a.Cancel([]trowel.TryID{{Task: 1, Number: 1}}) }, trowel.OutcomeFailure},
	} {
		begun := make(chan struct{})
		a, reports := begin(t, operators(func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
			close(begun)
			<-ctx.Done()
			return operator.Outcome{}, fmt.Errorf("put a file: %w", ctx.Err())
		}), nil)
		a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1))})
		<-begun
		c.end(a)
		if got := <-reports; got.Outcome != c.want {
			t.Errorf("%s: outcome %d, want %d", name, got.Outcome, c.want)
		}
	}
}
