package flush

import (
	"container/heap"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// idle is how long the flusher sleeps when no timer is set.
const idle = time.Hour

// timers are the instants at which attempts go on, by the earliest of each: those of waiting tasks,
// and limits of time. One that is out of date does no harm: the engine looks at the task.
type timers struct{ queue attemptQueue }

// waits reports whether a task in this state goes on at its RetryAt.
func waits(s trowel.TaskState) bool {
	return s == trowel.TaskRetryWaiting || s == trowel.TaskGroupRetryWaiting
}

// alarm is one instant of an attempt.
type alarm struct {
	at   time.Time
	what engine.Event // nil for a limit of time, or a load
	load bool         // the image is to be read
}

// set adds an alarm to an attempt.
func (t *timers) set(a *attempt, at time.Time, what engine.Event) {
	heap.Push(&a.alarms, alarm{at: at, what: what})
	t.fix(a)
}

// load lets the image of an attempt be read at an instant.
func (t *timers) load(a *attempt, at time.Time) {
	heap.Push(&a.alarms, alarm{at: at, load: true})
	t.fix(a)
}

// fix puts an attempt at its place after its alarms have changed.
func (t *timers) fix(a *attempt) {
	switch {
	case len(a.alarms) == 0:
		if a.place >= 0 {
			heap.Remove(&t.queue, a.place)
		}
	case a.place < 0:
		heap.Push(&t.queue, a)
	default:
		heap.Fix(&t.queue, a.place)
	}
}

// drop forgets all alarms of an attempt.
func (t *timers) drop(a *attempt) {
	a.alarms, a.limitAt = nil, time.Time{}
	t.fix(a)
}

func (t *timers) appendDue(batch []*event, now time.Time) []*event {
	for len(t.queue) > 0 && !t.queue[0].alarms[0].at.After(now) && len(batch) < maxBatch {
		a := t.queue[0]
		due := heap.Pop(&a.alarms).(alarm) //nolint:forcetypeassert // the heap holds nothing else
		t.fix(a)
		if due.what != nil || due.load {
			batch = append(batch, &event{attempt: a.id, what: due.what})
		} else if due.at.Equal(a.limitAt) { // else another one was set since
			a.limitAt = time.Time{}
			batch = append(batch, &event{attempt: a.id, limit: true})
		}
	}
	return batch
}

func (t *timers) untilNext(now time.Time) time.Duration {
	if len(t.queue) == 0 {
		return idle
	}
	return max(0, t.queue[0].alarms[0].at.Sub(now))
}

// attemptQueue implements heap.Interface: attempts that have alarms, by the earliest.
type attemptQueue []*attempt

func (q attemptQueue) Len() int           { return len(q) }
func (q attemptQueue) Less(i, j int) bool { return q[i].alarms[0].at.Before(q[j].alarms[0].at) }
func (q attemptQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *attemptQueue) Push(x any) {
	a := x.(*attempt) //nolint:forcetypeassert // the queue holds nothing else
	a.place = len(*q)
	*q = append(*q, a)
}

func (q *attemptQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	last.place = -1
	*q = old[:len(old)-1]
	return last
}

// alarmQueue implements heap.Interface.
type alarmQueue []alarm

func (q alarmQueue) Len() int           { return len(q) }
func (q alarmQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q alarmQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *alarmQueue) Push(x any)        { *q = append(*q, x.(alarm)) } //nolint:forcetypeassert // the queue holds nothing else
func (q *alarmQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
