package flush

import (
	"container/list"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// attempt is what the flusher knows about a running attempt. Only the goroutine of Run uses it.
type attempt struct {
	id       trowel.AttemptID
	workflow trowel.WorkflowName
	control  trowel.WorkflowLimits

	// tree is the task tree; nil if it is not in memory.
	tree   *engine.TaskTree
	stored trowel.Attempt // the row of the attempt as it is in the store
	// version is the version of the attempt that its alarms and ready tasks belong to.
	version int64
	// streak counts the transactions of this flusher since another server changed the attempt.
	streak int
	// leftAlone is why nothing is done about the attempt; nil if it is understood.
	leftAlone error
	// part is the role of the attempt in the open transaction.
	part participation

	resumed   bool // has rows in resumed_task
	monitored bool // may have a row in monitor

	alarms  alarmHeap
	place   int       // in the heap of timers; -1 without alarms
	limitAt time.Time // the alarm for its limits of time; zero without one

	waiters []chan trowel.Attempt // get the attempt when it ends

	recent *list.Element // in cache.recent; nil without a tree
	size   int           // of the tree, as the cache has counted it
}

// trustedAfter is the streak at which a flusher expects that no other server has changed an attempt.
const trustedAfter = 4

// trusted reports whether the attempt in memory is most likely up to date.
func (a *attempt) trusted() bool { return a.streak >= trustedAfter }

// rowChanged reports whether the row of the attempt must be written. It compares the whole row, so that no
// column can be forgotten. Only the version does not count: it is written separately, and most transactions
// change nothing else.
func (a *attempt) rowChanged() bool {
	row := a.tree.Attempt
	row.Version = a.stored.Version
	return row != a.stored
}

// running reports whether events can be applied: the task tree is in memory, and the root is not done.
func (a *attempt) running() bool { return a != nil && a.tree != nil && !a.tree.Done() }

// ready returns a ready task in the form of the queue.
func (a *attempt) ready(row *trowel.Task) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.ID, At: row.ReadyAt, Workflow: a.workflow, Requirements: row.Requirements, Limits: a.control, Acquired: row.Acquired,
		Flags: row.Flags,
	}
}

// liveReady is ready for a task whose tree is not in memory.
func (a *attempt) liveReady(row *trowel.LiveTask) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.TaskID, At: row.ReadyAt, Workflow: a.workflow, Requirements: row.Requirements, Limits: a.control, Acquired: row.Acquired,
		Flags: row.Flags,
	}
}

// ended sends the attempt to those who wait for its end.
func (a *attempt) ended(row trowel.Attempt) {
	for _, ch := range a.waiters {
		ch <- row
	}
}

// close closes the channels of those who wait for the end, as they will not see it.
func (a *attempt) close() {
	for _, ch := range a.waiters {
		close(ch)
	}
	a.waiters = nil
}
