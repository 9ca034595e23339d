package engine

import trowel "github.com/trowel-project/trowel"

// Claim is an agent taking a ready task: a new try begins (language X56). A task that is not ready
// is left alone.
type Claim struct {
	Task  trowel.TaskID
	Agent string
	// Holds is all that it has taken from limits, with what it held already; nil for one slot of
	// trowel.DefaultPool.
	Holds trowel.Holds
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
	detail := t.Holds != nil || c.Holds != nil
	t.Holds = c.Holds
	a.move(t, trowel.MoveClaim, trowel.TaskRunning, detail)
}
