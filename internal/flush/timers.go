package flush

import (
	"container/heap"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// idle is how long the flusher sleeps when no alarm is set.
const idle = time.Hour

// timers have the instants at which attempts go on: those of waiting tasks, of an SLA, and limits of time.
// An alarm that is out of date does no harm, as the engine looks at the task.
type timers struct {
	ttls     engine.TTLs
	attempts attemptHeap
}

// waits reports whether a task in this state goes on at its RetryAt.
func waits(s trowel.TaskState) bool {
	return s == trowel.TaskRetryWaiting || s == trowel.TaskGroupRetryWaiting
}

// set adds an alarm to an attempt: it submits a request.
func (t *timers) set(a *attempt, at time.Time, what request) {
	heap.Push(&a.alarms, alarm{at: at, what: what})
	t.attempts.fix(a)
}

// setTask sets the alarms of a task that has gone into a state.
func (t *timers) setTask(a *attempt, row *trowel.Task, state trowel.TaskState) {
	if waits(state) {
		t.setDue(a, row.ID, row.RetryAt)
	}
	if waits(state) || state == trowel.TaskRunning {
		t.limitTask(a, row.StartedAt)
	}
}

// setDue sets the alarm of a waiting task.
func (t *timers) setDue(a *attempt, task trowel.TaskID, at time.Time) {
	t.set(a, at, &dueRequest{attempt: a.id, task: task})
}

// setSLA sets the alarm of an SLA.
func (t *timers) setSLA(a *attempt, m *trowel.Monitor) {
	a.monitored = true
	t.set(a, m.DueAt, &slaRequest{attempt: a.id, config: m.Config})
}

// setRefresh has the task tree of an attempt read at an instant.
func (t *timers) setRefresh(a *attempt, at time.Time) {
	t.set(a, at, &refreshRequest{attempt: a.id})
}

// limitAttempt sets the alarm for the limit of time of an attempt.
func (t *timers) limitAttempt(a *attempt, createdAt time.Time) {
	if t.ttls.Attempt > 0 {
		t.setLimit(a, createdAt.Add(t.ttls.Attempt))
	}
}

// limitTask sets the alarm for the limit of time of a task, if it was started.
func (t *timers) limitTask(a *attempt, startedAt time.Time) {
	if !startedAt.IsZero() && t.ttls.Task > 0 {
		t.setLimit(a, startedAt.Add(t.ttls.Task))
	}
}

// setLimit sets the alarm for a limit of time, unless there is an earlier one. An attempt has one such
// alarm at a time. When it rings, the engine says which is the next, so that tasks that have ended leave
// nothing behind.
func (t *timers) setLimit(a *attempt, at time.Time) {
	if at.IsZero() || (!a.limitAt.IsZero() && !at.Before(a.limitAt)) {
		return
	}
	a.limitAt = at
	t.set(a, at, &timeLimitRequest{attempt: a.id, ttls: t.ttls})
}

// drop removes all alarms of an attempt.
func (t *timers) drop(a *attempt) {
	a.alarms, a.limitAt = nil, time.Time{}
	t.attempts.fix(a)
}

// appendDue adds the requests of alarms that ring now, as far as the batch has room.
func (t *timers) appendDue(batch []request, now time.Time) []request {
	for len(t.attempts) > 0 && !t.attempts[0].alarms[0].at.After(now) && len(batch) < maxBatch {
		a := t.attempts[0]
		due := heap.Pop(&a.alarms).(alarm) //nolint:forcetypeassert // the heap holds nothing else
		t.attempts.fix(a)
		if _, limit := due.what.(*timeLimitRequest); limit {
			if !due.at.Equal(a.limitAt) {
				continue // an earlier one was set after it
			}
			a.limitAt = time.Time{}
		}
		batch = append(batch, due.what)
	}
	return batch
}

// untilNext returns how long it is until the next alarm.
func (t *timers) untilNext(now time.Time) time.Duration {
	if len(t.attempts) == 0 {
		return idle
	}
	return max(0, t.attempts[0].alarms[0].at.Sub(now))
}
