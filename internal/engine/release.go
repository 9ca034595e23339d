package engine

import (
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Release takes a try away from an agent that is gone (language X59a). The task becomes ready again; its next claim
// begins the next try. That does not count as a retry, and the instant of the first start stays. A task that was to stop
// is canceled instead, or ready for a try that cancels its job. Release does nothing to an ended try, so several may send it, and more than once.
type Release struct {
	Task trowel.TaskID
	Try  int
	// Lost reports whether the agent is gone; otherwise it gave the task back. A task whose agents are gone Poison times
	// in a row, with no report in between, fails for good; 0 is never.
	Lost   bool
	Poison int
}

func (r Release) apply(a *applying) {
	t := a.img.tasks[r.Task]
	if t == nil || t.State != trowel.TaskRunning || t.Try != r.Try {
		return
	}
	a.recordTry(t, trowel.Report{}, trowel.ExitLost)
	if t.canceling() {
		a.cancelJobAgain(t)
		return
	}
	if t.Flags&trowel.TaskCancelRequested != 0 {
		a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, false)
		return
	}
	if r.Lost {
		t.Losses++
	}
	if r.Lost && r.Poison > 0 && t.Losses >= r.Poison {
		if t.hasJob() {
			a.warn("Task " + t.FullName + " is set aside, but what it has started outside may go on")
			t.setJob(false)
		}
		a.fail(t, poisoned(t, r.Poison))
		return
	}
	a.move(t, trowel.TransitionRelease, trowel.TaskReady, r.Lost)
}

// poisoned is the error of a task that may be killing its agents.
func poisoned(t *task, limit int) *param.Map {
	return trowel.ErrorObject(fmt.Sprintf("The task is set aside: %d agents in a row were lost while they ran it, the last one was %s "+
		"(agent.poison_limit: %d)", t.Losses, t.AgentID, limit), "lost")
}
