package flush

import (
	"container/heap"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// idle is how long the flusher sleeps when no timer is set.
const idle = time.Hour

// timers are the instants at which waiting tasks go on, earliest first. One that is out of date
// does no harm: the engine looks at the task.
type timers struct{ queue timerQueue }

type timer struct {
	at      time.Time
	attempt trowel.AttemptID
	task    trowel.TaskID
}

func (t *timers) add(row *trowel.Task) {
	heap.Push(&t.queue, timer{row.RetryAt, row.AttemptID, row.ID})
}

func (t *timers) appendDue(batch []*event, now time.Time) []*event {
	for len(t.queue) > 0 && !t.queue[0].at.After(now) && len(batch) < maxBatch {
		due := heap.Pop(&t.queue).(timer) //nolint:forcetypeassert // the queue holds nothing else
		batch = append(batch, &event{attempt: due.attempt, what: engine.Due{Task: due.task}})
	}
	return batch
}

func (t *timers) untilNext(now time.Time) time.Duration {
	if len(t.queue) == 0 {
		return idle
	}
	return max(0, t.queue[0].at.Sub(now))
}

// timerQueue implements heap.Interface.
type timerQueue []timer

func (q timerQueue) Len() int           { return len(q) }
func (q timerQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q timerQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *timerQueue) Push(x any)        { *q = append(*q, x.(timer)) } //nolint:forcetypeassert // the queue holds nothing else
func (q *timerQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
