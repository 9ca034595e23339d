package agent_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	trowel "github.com/trowel-project/trowel"
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
