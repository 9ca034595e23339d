package engine

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// cancelTries is how often a try that is to cancel a job may be given to an agent. An agent that is lost may be lost
// because of it.
const cancelTries = 5

// hasJob reports whether a job that the state parameters name goes on outside, or may go on.
func (t *task) hasJob() bool { return t.Flags&trowel.TaskHasJob != 0 }

// canceling reports whether the task runs again only to cancel its job.
func (t *task) canceling() bool { return t.Flags.Canceling() }

func (t *task) setJob(goesOn bool) {
	t.Flags &^= trowel.TaskHasJob
	if goesOn {
		t.Flags |= trowel.TaskHasJob
	}
}

// cancelJob makes a killed task ready for a try that cancels its job (operators 1.14). What it had to wait for before
// does not hold that up.
func (a *applying) cancelJob(t *task) {
	t.WaitReason, t.RetryAt = "", time.Time{}
	a.move(t, trowel.TransitionCancelJob, trowel.TaskReady, true)
}

// cancelJobAgain does the same after a try that ended without having canceled the job. After some of these the task is
// canceled, and the job is left. The flag stays, as the job may go on.
func (a *applying) cancelJobAgain(t *task) {
	t.Losses++
	if t.Losses < cancelTries {
		a.cancelJob(t)
		return
	}
	a.warn(fmt.Sprintf("Task %s is canceled, but what it has started outside may go on: %d tries to cancel that did not come to their end",
		t.FullName, t.Losses))
	a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, true)
}
