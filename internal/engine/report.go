package engine

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Report is the end of a try. It does nothing if the try is not the present one or the task is not running (language
// X11), so it may come late or twice.
type Report struct{ trowel.Report }

func (r Report) apply(a *applying) {
	t := a.img.tasks[r.TaskID]
	if t == nil || t.State != trowel.TaskRunning || t.Try != r.Try {
		return
	}
	canceled := t.Flags&trowel.TaskCancelRequested != 0
	exit := exitOf(r.Outcome)
	if canceled {
		exit = trowel.ExitCanceled
	}
	a.recordTry(t, r.Report, exit)
	if r.Outcome != trowel.OutcomeReleased {
		t.setJob(r.Job && (canceled || r.Outcome != trowel.OutcomeFailure))
	}
	if t.canceling() && r.Outcome != trowel.OutcomeFailure {
		a.keepState(t, r.Report)
		a.cancelJobAgain(t)
		return
	}
	wasLost := t.Losses > 0 // earlier losses no longer count
	t.Losses = 0
	switch {
	case canceled:
		if t.hasJob() {
			a.warn("Task " + t.FullName + " is canceled, but what it has started outside may go on, see the task's log")
		}
		a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, wasLost)
	case r.Outcome == trowel.OutcomeSuccess:
		a.succeed(t, r.Report, wasLost)
	case r.Outcome == trowel.OutcomePoll, r.Outcome == trowel.OutcomeRetry:
		a.wait(t, r.Report)
	case r.Outcome == trowel.OutcomeReleased:
		a.move(t, trowel.TransitionRelease, trowel.TaskReady, wasLost)
	default:
		a.fail(t, r.Error)
	}
}

func (a *applying) recordTry(t *task, r trowel.Report, exit string) {
	if r.EndedAt.IsZero() {
		r.EndedAt = a.at
	}
	a.out.Tries = append(a.out.Tries, trowel.Try{
		AttemptID: t.AttemptID, TaskID: t.ID, Number: t.Try, FullName: t.FullName, AgentID: t.AgentID,
		ReadyAt: t.ReadyAt, ClaimedAt: t.ClaimedAt, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		Exit: exit, LastLines: r.LastLines, Links: r.Links, Usage: r.Usage,
	})
}

func exitOf(o trowel.Outcome) string {
	switch o {
	case trowel.OutcomeSuccess:
		return trowel.ExitSuccess
	case trowel.OutcomePoll:
		return trowel.ExitPoll
	case trowel.OutcomeRetry:
		return trowel.ExitRetry
	case trowel.OutcomeFailure:
		return trowel.ExitError
	case trowel.OutcomeReleased:
		return trowel.ExitLost
	}
	return trowel.ExitError
}

// succeed stores the result and adds the trees that it generates. If these cannot be compiled, the task fails (language
// X22). detail reports whether more than the state has changed.
func (a *applying) succeed(t *task, r trowel.Report, detail bool) {
	result := r.Result
	follow, err := a.compileFollowing(t, r)
	if err != nil {
		a.fail(t, errorObject(err))
		return
	}
	detail = detail || !result.Empty() || !t.Result.Empty() // an empty result replaces the result of an earlier round
	t.Masked = t.Masked.In(trowel.AreaState).With(r.Masked.In(trowel.AreaExport)...).With(r.Masked.In(trowel.AreaStore)...)
	a.setResult(t, result)
	if len(follow.sub)+len(follow.check) == 0 {
		a.move(t, trowel.TransitionSuccess, trowel.TaskSuccess, detail)
		return
	}
	a.move(t, trowel.TransitionSubtasks, trowel.TaskPlanned, detail)
	a.insertFollowing(t, follow)
	a.then(t, opened)
}

// wait makes a task wait until it runs again, for a poll or after a failure (language X26).
func (a *applying) wait(t *task, r trowel.Report) {
	t.RetryAt = a.at.Add(r.RetryIn)
	t.RetryCount++
	a.keepState(t, r)
	t.WaitReason = trowel.WaitPoll
	if r.Outcome == trowel.OutcomeRetry {
		t.WaitReason = trowel.WaitRetry
	}
	a.move(t, trowel.TransitionRetry, trowel.TaskRetryWaiting, true)
}

// keepState stores what a try keeps for the next one.
func (*applying) keepState(t *task, r trowel.Report) {
	if r.Outcome != trowel.OutcomePoll && r.Outcome != trowel.OutcomeRetry {
		return
	}
	t.Masked = maskedState(t, r)
	t.StateParams = r.StateParams
}

// maskedState are the hidden places when a try leaves other state parameters. A place that was hidden before stays
// hidden, because the try need not have been given the secret again.
func maskedState(t *task, r trowel.Report) trowel.Masked {
	if len(t.Masked)+len(r.Masked) == 0 {
		return nil
	}
	return t.Masked.In(trowel.AreaExport).With(t.Masked.In(trowel.AreaStore)...).
		With(t.Masked.Still(trowel.AreaState, t.StateParams, r.StateParams)...).With(r.Masked.In(trowel.AreaState)...)
}

// fail ends an operator task as failed, after its ^error tasks if it has any.
func (a *applying) fail(t *task, object *param.Map) {
	t.Error = object
	if a.insertErrorTasks(t, object, nil) {
		t.Flags |= trowel.TaskDelayedError
		a.move(t, trowel.TransitionFailureTasks, trowel.TaskPlanned, true)
		a.then(t, opened)
		return
	}
	a.move(t, trowel.TransitionError, trowel.TaskError, true)
}

func (a *applying) setResult(t *task, result trowel.Result) {
	stored := t.storing()
	t.Result = result
	t.addStores(t.storing() - stored)
	t.inside = nil
	if stored+t.storing() > 0 {
		a.img.storedLate(t)
	}
}
