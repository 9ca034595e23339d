package flush

import (
	"container/list"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// attempt is what the flusher knows of a running attempt. It is used by the goroutine of Run alone.
type attempt struct {
	id       trowel.AttemptID
	workflow trowel.WorkflowName
	control  trowel.Control

	// tree is the task tree; nil if it is not in memory. Then only the store has it.
	tree   *engine.Image
	stored trowel.Attempt // the row of the attempt as it is in the store
	// version is that of the attempt at which its alarms and ready tasks are known.
	version int64
	// streak is how many transactions in a row were of this flusher, as far as it knows.
	streak int
	// part is what the attempt has to do with the present transaction.
	part participation

	resumed   bool // has rows in resumed_task
	monitored bool // may have a row in monitor

	alarms  alarmHeap
	place   int       // in the heap of timers; -1 without alarms
	limitAt time.Time // the alarm for its limits of time; zero without one

	waiters []chan trowel.Attempt // are told of its end

	recent *list.Element // in cache.recent; nil without a tree
	size   int           // of the tree, as the cache has counted it
}

// trustedAfter is after how many transactions of its own in a row a flusher expects that nobody else has
// changed an attempt.
const trustedAfter = 4

// trusted reports whether the attempt is most likely as it is known.
func (a *attempt) trusted() bool { return a.streak >= trustedAfter }

// rowChanged reports whether the row of the attempt must be written. The version does not count: it is
// written apart, and most transactions change nothing else. All other columns do, so that none can be
// forgotten.
func (a *attempt) rowChanged() bool {
	row := a.tree.Attempt
	row.Version = a.stored.Version
	return row != a.stored
}

// running reports whether events can be applied: the tree is in memory, and its root is not done.
func (a *attempt) running() bool { return a != nil && a.tree != nil && !a.tree.Done() }

// ready is a ready task as the queue knows it.
func (a *attempt) ready(row *trowel.Task) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.ID, At: row.ReadyAt, Workflow: a.workflow, Needs: row.Needs, Control: a.control, Held: row.Holds,
	}
}

// liveReady is the same of a task whose tree is not in memory.
func (a *attempt) liveReady(row *trowel.LiveTask) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.TaskID, At: row.ReadyAt, Workflow: a.workflow, Needs: row.Needs, Control: a.control, Held: row.Holds,
	}
}

// ended tells those who wait for the end.
func (a *attempt) ended(row trowel.Attempt) {
	for _, ch := range a.waiters {
		ch <- row
	}
}

// close tells those who wait for the end that they will not see it.
func (a *attempt) close() {
	for _, ch := range a.waiters {
		close(ch)
	}
	a.waiters = nil
}
