package engine

import trowel "github.com/trowel-project/trowel"

// Claim is an agent taking a ready task: a new try begins (language X56). A task that is not ready
// is left alone.
type Claim struct {
	Task  trowel.TaskID
	Agent string
}

func (c Claim) apply(a *applying) {
	t := a.img.tasks[c.Task]
	if t == nil || t.State != trowel.TaskReady {
		return
	}
	t.Try++
	t.AgentID = c.Agent
	t.ClaimedAt = a.at
	if t.StartedAt.IsZero() {
		t.StartedAt = a.at
	}
	a.move(t, trowel.MoveClaim, trowel.TaskRunning, false)
}
