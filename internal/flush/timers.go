package flush

import (
	"container/heap"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// idle is how long the flusher sleeps when no alarm is set.
const idle = time.Hour

// timers has the alarms of all attempts: for waiting tasks, SLAs and time limits. An alarm that is out of date
// does no harm, as its request checks the task.
type timers struct {
	ttls     engine.TTLs
	attempts attemptHeap
}

// waits reports whether a task in this state goes on at its RetryAt.
func waits(s trowel.TaskState) bool {
	return s == trowel.TaskRetryWaiting || s == trowel.TaskGroupRetryWaiting
}

// set adds an alarm to an attempt. When it rings, the request goes into the next transaction.
func (t *timers) set(a *attempt, at time.Time, what request) {
	heap.Push(&a.alarms, alarm{at: at, what: what})
	t.attempts.fix(a)
}

// setTask sets the alarms that a task needs in a state.
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
func (t *timers) setSLA(a *attempt, m *trowel.SLATimer) {
	a.monitored = true
	t.set(a, m.DueAt, &slaRequest{attempt: a.id, config: m.Config})
}

// setRefresh sets an alarm that loads the task tree of an attempt.
func (t *timers) setRefresh(a *attempt, at time.Time) {
	t.set(a, at, &refreshRequest{attempt: a.id})
}

// limitAttempt sets the alarm for the time limit of an attempt.
func (t *timers) limitAttempt(a *attempt, createdAt time.Time) {
	if t.ttls.Attempt > 0 {
		t.setLimit(a, createdAt.Add(t.ttls.Attempt))
	}
}

// limitTask sets the alarm for the time limit of a task, if it was started.
func (t *timers) limitTask(a *attempt, startedAt time.Time) {
	if !startedAt.IsZero() && t.ttls.Task > 0 {
		t.setLimit(a, startedAt.Add(t.ttls.Task))
	}
}

// setLimit sets the alarm for a time limit, unless there is an earlier one. An attempt has one such alarm at a
// time. When it rings, the engine says which limit is the next, so that ended tasks leave no alarms behind.
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

// appendDue appends the requests of the alarms that ring now, up to maxBatch requests.
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
