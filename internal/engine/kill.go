package engine

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Kill asks every task that is not done to stop (language X46). Waiting tasks are canceled at once, running tasks when
// their agent reports, and groups when nothing below them runs (differs from X47 and X48, see docs/compatibility.md). An
// attempt without tasks, which waits for its turn in a backfill, ends at once (differs from X52), and so does one that
// waits for its admission. A waiting task with a job outside gets one more try, which cancels the job. A second kill does
// nothing.
type Kill struct{}

func (Kill) apply(a *applying) {
	a.img.Attempt.Flags |= trowel.AttemptCancelRequested
	if a.img.root == nil {
		a.end()
		return
	}
	waits := a.img.Attempt.WaitReason != ""
	a.img.Attempt.WaitReason = ""
	for _, row := range a.img.List() {
		t := a.img.tasks[row.ID]
		if t.State.Done() || t.Flags&trowel.TaskCancelRequested != 0 {
			continue
		}
		t.Flags |= trowel.TaskCancelRequested
		if waits && t == a.img.root || t.evaluating() {
			a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, true)
			continue
		}
		a.cancel(t)
	}
}

// cancel cancels a flagged task as far as that is possible at once. A task that only got the flag is a change, too.
func (a *applying) cancel(t *task) {
	switch t.State {
	case trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskDeferred, trowel.TaskAwaitingInput:
		if t.hasJob() {
			t.Losses = 0
			a.cancelJob(t)
			return
		}
		t.WaitReason, t.RetryAt = "", time.Time{}
		a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, true)
	case trowel.TaskBlocked, trowel.TaskRunning, trowel.TaskPlanned:
		detail := t.hasJob() && t.Losses > 0
		if detail {
			t.Losses = 0 // from now on they count tries that were to cancel the job
		}
		a.out.Changes = append(a.out.Changes, Change{Task: &t.Task, Transition: trowel.TransitionCancel, From: t.State, To: t.State, Detail: detail})
		a.check(t)
	case trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped:
	}
}
