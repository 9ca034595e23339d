package reason

import (
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// Standing describes the state of a task that has no reason, because it runs or is done.
func Standing(t *trowel.Task, f *Facts) string {
	switch t.State {
	case trowel.TaskRunning:
		text := fmt.Sprintf("runs since %s", f.clock(t.ClaimedAt))
		if t.AgentID != "" {
			text += " on agent " + f.agentName(t.AgentID)
		}
		if t.Try > 1 {
			text += fmt.Sprintf(", try %d", t.Try)
		}
		if t.Flags&trowel.TaskCancelRequested != 0 {
			text += "; it was told to stop"
		}
		return text
	case trowel.TaskSuccess:
		return "succeeded at " + f.clock(t.UpdatedAt)
	case trowel.TaskError:
		text := "failed at " + f.clock(t.UpdatedAt)
		if failure := failureOf(t, f.LastTry); failure != "" {
			text += ": " + failure
		}
		return text
	case trowel.TaskGroupError:
		return "failed at " + f.clock(t.UpdatedAt) + ", as tasks in it failed"
	case trowel.TaskCanceled:
		return "was canceled at " + f.clock(t.UpdatedAt)
	case trowel.TaskSkipped:
		return "was skipped at " + f.clock(t.UpdatedAt)
	case trowel.TaskBlocked, trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskPlanned,
		trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return "is " + word(t.State)
}

// agentName is the name of an agent; its id if it has none.
func (f *Facts) agentName(id string) string {
	if f.Market != nil {
		for _, a := range f.Market.Agents {
			if a.ID == id && a.Name != "" {
				return a.Name
			}
		}
	}
	return id
}

// Detail is the stateDetail of control K219.
func Detail(t *trowel.Task, f *Facts) string {
	f.Tree.Add(t.Outline())
	if f.Tree.Unreachable(t.ID) {
		return string(trowel.WaitNotReached)
	}
	return t.State.String()
}
