package engine

import trowel "github.com/trowel-project/trowel"

// Release takes a try away from an agent that is gone (language X59a): the task is ready again, with
// the next try at the next claim. That does not count as a retry, and the instant of the first start
// stays. A task that was to stop is canceled instead. Release of a try that is over changes nothing,
// so whoever finds the agent gone may say so, and more than once.
type Release struct {
	Task trowel.TaskID
	Try  int
}

func (r Release) apply(a *applying) {
	t := a.img.tasks[r.Task]
	if t == nil || t.State != trowel.TaskRunning || t.Try != r.Try {
		return
	}
	a.recordTry(t, trowel.Report{}, trowel.ExitLost)
	if t.Flags&trowel.TaskCancelRequested != 0 {
		a.move(t, trowel.MoveCancel, trowel.TaskCanceled, false)
		return
	}
	a.move(t, trowel.MoveRelease, trowel.TaskReady, false)
}
