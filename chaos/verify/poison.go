package verify

import (
	trowel "github.com/trowel-project/trowel"
)

// poison checks that a task is set aside if enough agents in a row were lost while they ran it, and only
// then.
func (f *findings) poison(h *History) {
	if h.Poison == 0 {
		return
	}
	tries := map[tryKey]*trowel.Try{}
	for _, a := range h.Attempts {
		for i := range a.Tries {
			t := &a.Tries[i]
			tries[tryKey{a.ID, trowel.TryID{Task: t.TaskID, Number: t.Number}}] = t
		}
	}
	losses := map[taskKey]int{}
	for _, c := range h.Commits {
		for i := range c.Entries {
			e := &c.Entries[i]
			a, t := h.Attempts[e.AttemptID], tries[tryKey{e.AttemptID, trowel.TryID{Task: e.TaskID, Number: e.Try}}]
			if a != nil && t != nil && isRelease(e) {
				f.lost(h.Poison, a, e, t, losses)
			}
		}
	}
}

// lost checks the end of a try.
func (f *findings) lost(limit int, a *Attempt, e *trowel.AuditEntry, t *trowel.Try, losses map[taskKey]int) {
	task := taskKey{a.ID, e.TaskID}
	move := trowel.Transition(e.Cause)
	switch {
	case t.Exit != trowel.ExitLost || move == trowel.TransitionRelease && e.Actor == t.AgentID: // the agent reported, or gave the task back
		losses[task] = 0
	case move == trowel.TransitionRelease:
		if losses[task]++; losses[task] >= limit {
			f.add("attempt %d: %s goes on after %d lost agents in a row, of %d", a.ID, a.name(e.TaskID), losses[task], limit)
		}
	case move == trowel.TransitionError, move == trowel.TransitionFailureTasks:
		if losses[task]++; losses[task] != limit {
			f.add("attempt %d: %s is set aside after %d lost agents in a row, of %d", a.ID, a.name(e.TaskID), losses[task], limit)
		}
	}
}
