package engine_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// A server has the trees of attempts that wait in memory, and its garbage may grow to twice of that, so what one waiting task
// takes counts three times. It must not run beside other tests.
func TestWaitingTaskTakesLittleMemory(t *testing.T) { //nolint:paralleltest // see above
	const attempts, group, limit = 20, 1000, 1250
	trees := make([]*engine.TaskTree, attempts)
	before := heap()
	for i := range trees {
		trees[i] = waitingTree(t, group)
	}
	if got := (heap() - before) / (attempts * group); got > limit {
		t.Errorf("a waiting task takes %d bytes, want at most %d", got, limit)
	}
	runtime.KeepAlive(trees)
}

func heap() int {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int(now.HeapAlloc) //nolint:gosec // far less
}

// waitingTree returns a group with tasks that wait, as they are read from the database.
func waitingTree(t *testing.T, tasks int) *engine.TaskTree {
	t.Helper()
	rows := []*trowel.Task{{ID: 1, AttemptID: 1, FullName: "+w", Group: true, State: trowel.TaskPlanned}}
	for i := range tasks {
		row := &trowel.Task{
			ID: trowel.TaskID(2 + i), AttemptID: 1, ParentID: 1, FullName: fmt.Sprintf("+w+t%d", i), State: trowel.TaskRetryWaiting,
			Try: 3, RetryCount: 3, RetryAt: time.Unix(1, 0), WaitReason: trowel.WaitPoll,
		}
		var errLocal, errState error
		row.Local, errLocal = param.ParseMap(fmt.Sprintf(`{"s3_wait>":"bucket/object/%d"}`, i))
		row.StateParams, errState = param.ParseMap(
			`{"EXISTS":{"start_time":"2026-01-01T00:00:00.000Z","operation":{"POLL":{"operation":{}}},"iteration":3}}`)
		if errLocal != nil || errState != nil {
			t.Fatal(errLocal, errState)
		}
		rows = append(rows, row)
	}
	tree, err := engine.NewTaskTree(trowel.Attempt{ID: 1, Zone: "UTC"}, &trowel.AttemptContext{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
