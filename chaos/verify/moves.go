package verify

import (
	trowel "github.com/trowel-project/trowel"
)

// states returns all states of tasks by their names in the audit.
func states() map[string]trowel.TaskState {
	named := map[string]trowel.TaskState{}
	for s := trowel.TaskBlocked; s <= trowel.TaskAwaitingInput; s++ {
		named[s.String()] = s
	}
	return named
}

// moves checks that each task changed its state as the table of transitions says, without a gap,
// never out of a final state, and to the state that it has in the archive.
func (f *findings) moves(h *History) {
	allowed := map[trowel.TransitionRule]bool{}
	for _, t := range trowel.TransitionRules() {
		t.Rule = ""
		allowed[t] = true
	}
	named := states()
	at := map[taskKey]string{}
	for _, c := range h.Commits {
		for _, e := range c.Entries {
			a, key := h.Attempts[e.AttemptID], taskKey{e.AttemptID, e.TaskID}
			if e.TaskID == 0 || a == nil {
				continue
			}
			before, known := at[key]
			switch {
			case known && named[before].Done():
				f.add("attempt %d: %s leaves %s for %s", a.ID, a.name(e.TaskID), before, e.To)
			case known && before != e.From:
				f.add("attempt %d: %s was %s, and goes from %s to %s", a.ID, a.name(e.TaskID), before, e.From, e.To)
			case !allowed[trowel.TransitionRule{From: named[e.From], Transition: trowel.Transition(e.Cause), To: named[e.To]}]:
				f.add("attempt %d: %s goes from %s to %s by %s", a.ID, a.name(e.TaskID), e.From, e.To, e.Cause)
			}
			at[key] = e.To
		}
	}
	for _, a := range h.Attempts {
		for _, t := range a.Tasks {
			got, moved := at[taskKey{a.ID, t.ID}]
			if !moved && (t.State == trowel.TaskBlocked || t.ResumingID != 0) {
				continue // it never left the state in which it was made
			}
			if got != t.State.String() {
				f.add("attempt %d: %s is %s, and the audit ends with %q", a.ID, t.FullName, t.State, got)
			}
		}
	}
}
