package viewtest

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
)

// BenchBatch is the life of n tasks in one group, in one batch.
func BenchBatch(n int) *flush.Batch {
	root := &trowel.Task{ID: 1, FullName: "+w", Group: true}
	batch := &flush.Batch{At: time.Now(), Changes: []engine.Change{
		{Task: root, Move: trowel.MoveInsert, New: true},
		{Task: root, Move: trowel.MoveUnblock, To: trowel.TaskPlanned},
	}}
	rows := make([]trowel.Task, n)
	for i := range rows {
		rows[i] = trowel.Task{ID: trowel.TaskID(i + 2), ParentID: 1, FullName: fmt.Sprintf("+w+task-%06d", i), Try: 1}
		batch.Changes = append(batch.Changes, engine.Change{Task: &rows[i], Move: trowel.MoveInsert, New: true})
	}
	for i := range rows {
		batch.Changes = append(batch.Changes,
			engine.Change{Task: &rows[i], Move: trowel.MoveUnblock, From: trowel.TaskBlocked, To: trowel.TaskReady},
			engine.Change{Task: &rows[i], Move: trowel.MoveClaim, From: trowel.TaskReady, To: trowel.TaskRunning},
			engine.Change{Task: &rows[i], Move: trowel.MoveSuccess, From: trowel.TaskRunning, To: trowel.TaskSuccess})
	}
	return batch
}
