package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// TTLs are how long attempts and tasks may take; zero is no limit (language X62).
type TTLs struct {
	Attempt time.Duration // from its creation
	Task    time.Duration // from a task's first start, including waits for retries and polls
}

// Overdue says whether a time limit has passed, so that the attempt must be killed. message is the announcement of that
// in Digdag's words (language X62); empty if no limit has passed. next is when to ask again; zero for never. An attempt
// that was already killed is never overdue.
func (img *TaskTree) Overdue(at time.Time, limits TTLs) (message string, next time.Time) {
	if img.Done() || img.root == nil || img.Attempt.Flags != 0 {
		return "", time.Time{}
	}
	if limits.Attempt > 0 {
		next = img.Attempt.CreatedAt.Add(limits.Attempt)
		if !next.After(at) {
			return "Workflow execution timeout", time.Time{}
		}
	}
	if limits.Task <= 0 {
		return "", next
	}
	var late []trowel.TaskID
	for id, t := range img.tasks {
		if !t.timed() {
			continue
		}
		end := t.StartedAt.Add(limits.Task)
		if !end.After(at) {
			late = append(late, id)
		} else if next.IsZero() || end.Before(next) {
			next = end
		}
	}
	if len(late) == 0 {
		return "", next
	}
	slices.Sort(late)
	texts := make([]string, len(late))
	for i, id := range late {
		texts[i] = strconv.FormatInt(int64(id), 10)
	}
	return "Task execution timeout: " + strings.Join(texts, ","), time.Time{}
}

// timed reports whether the limit for tasks applies to t now (language X63): it has been started, and runs or waits to
// run again.
func (t *task) timed() bool {
	switch t.State {
	case trowel.TaskRunning, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting:
		return !t.StartedAt.IsZero() && t.Flags&trowel.TaskCancelRequested == 0
	case trowel.TaskBlocked, trowel.TaskReady, trowel.TaskPlanned, trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError,
		trowel.TaskCanceled, trowel.TaskSkipped, trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return false
}
