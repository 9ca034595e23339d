package engine

import trowel "github.com/trowel-project/trowel"

// Claim gives a ready task to an agent, which begins a new try (language X56). It does nothing to a task that is not
// ready.
type Claim struct {
	Task  trowel.TaskID
	Agent string
	// Acquired is all that the task has taken from limits, including what it held before; nil for one slot of
	// trowel.DefaultPool.
	Acquired trowel.Acquired
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
	detail := t.Acquired != nil || c.Acquired != nil
	t.Acquired = c.Acquired
	a.move(t, trowel.TransitionClaim, trowel.TaskRunning, detail)
}
