package viewtest

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
)

// BenchBatch returns a batch with all changes of n tasks in one group.
func BenchBatch(n int) *flush.Batch {
	root := &trowel.Task{ID: 1, FullName: "+w", Group: true}
	batch := &flush.Batch{At: time.Now(), Changes: []engine.Change{
		{Task: root, Transition: trowel.TransitionInsert, New: true},
		{Task: root, Transition: trowel.TransitionUnblock, To: trowel.TaskPlanned},
	}}
	rows := make([]trowel.Task, n)
	for i := range rows {
		rows[i] = trowel.Task{ID: trowel.TaskID(i + 2), ParentID: 1, FullName: fmt.Sprintf("+w+task-%06d", i), Try: 1}
		batch.Changes = append(batch.Changes, engine.Change{Task: &rows[i], Transition: trowel.TransitionInsert, New: true})
	}
	for i := range rows {
		batch.Changes = append(batch.Changes,
			engine.Change{Task: &rows[i], Transition: trowel.TransitionUnblock, From: trowel.TaskBlocked, To: trowel.TaskReady},
			engine.Change{Task: &rows[i], Transition: trowel.TransitionClaim, From: trowel.TaskReady, To: trowel.TaskRunning},
			engine.Change{Task: &rows[i], Transition: trowel.TransitionSuccess, From: trowel.TaskRunning, To: trowel.TaskSuccess})
	}
	return batch
}
