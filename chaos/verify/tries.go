package verify

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// tryKey identifies a try among all.
type tryKey struct {
	attempt trowel.AttemptID
	try     trowel.TryID
}

// claim is the beginning of a try.
type claim struct {
	agent string
	move  string // the move that ended it; empty before
}

// exits returns how a try may end if a move leaves RUNNING.
func exits(move string) []string {
	switch trowel.Transition(move) {
	case trowel.TransitionSuccess, trowel.TransitionSubtasks:
		return []string{trowel.ExitSuccess}
	case trowel.TransitionError, trowel.TransitionFailureTasks:
		return []string{trowel.ExitError, trowel.ExitLost} // lost too often
	case trowel.TransitionRetry:
		return []string{trowel.ExitRetry, trowel.ExitPoll}
	case trowel.TransitionRelease:
		return []string{trowel.ExitLost}
	case trowel.TransitionCancel, trowel.TransitionCancelJob:
		return []string{trowel.ExitCanceled, trowel.ExitLost} // it was lost, so there was nothing to stop
	case trowel.TransitionInsert, trowel.TransitionEvaluate, trowel.TransitionUnblock, trowel.TransitionClaim, trowel.TransitionGroupError, trowel.TransitionGroupRetry, trowel.TransitionDue, trowel.TransitionRestart:
	}
	return nil
}

// tries checks that the numbers of a task's tries grow by one, that each try has one end,
// which is the one in the audit, and that no task has succeeded twice.
func (f *findings) tries(h *History) {
	claims := f.claims(h)
	for _, a := range h.Attempts {
		ended, succeeded := map[trowel.TryID]bool{}, map[trowel.TaskID]int{}
		for i := range a.Tries {
			t := &a.Tries[i]
			id := trowel.TryID{Task: t.TaskID, Number: t.Number}
			c := claims[tryKey{a.ID, id}]
			switch {
			case ended[id]:
				f.add("attempt %d: try %d of %s has ended twice", a.ID, t.Number, t.FullName)
			case c == nil:
				f.add("attempt %d: try %d of %s has ended, and never began", a.ID, t.Number, t.FullName)
			case c.agent != t.AgentID:
				f.add("attempt %d: try %d of %s was begun by %s, and ended by %s", a.ID, t.Number, t.FullName, c.agent, t.AgentID)
			case !slices.Contains(exits(c.move), t.Exit):
				f.add("attempt %d: try %d of %s ended as %s, and the audit has %q", a.ID, t.Number, t.FullName, t.Exit, c.move)
			}
			ended[id] = true
			if t.Exit == trowel.ExitSuccess {
				succeeded[t.TaskID]++
			}
		}
		for _, t := range a.Tasks {
			f.triesOf(a, t, ended, succeeded[t.ID])
		}
	}
}

// triesOf checks one archived task.
func (f *findings) triesOf(a *Attempt, t *trowel.Task, ended map[trowel.TryID]bool, succeeded int) {
	switch {
	case succeeded > 1:
		f.add("attempt %d: %s has succeeded %d times", a.ID, t.FullName, succeeded)
	case succeeded == 0 && !t.Group && t.State == trowel.TaskSuccess && t.ResumingID == 0:
		f.add("attempt %d: %s is a success without a try", a.ID, t.FullName)
	}
	for number := 1; number <= t.Try && !t.Group; number++ {
		if !ended[trowel.TryID{Task: t.ID, Number: number}] {
			f.add("attempt %d: try %d of %d of %s has no end", a.ID, number, t.Try, t.FullName)
		}
	}
}

// claims returns all tries in the audit.
func (f *findings) claims(h *History) map[tryKey]*claim {
	last, claims := map[taskKey]int{}, map[tryKey]*claim{}
	for _, c := range h.Commits {
		for i := range c.Entries {
			e := &c.Entries[i]
			a, task := h.Attempts[e.AttemptID], taskKey{e.AttemptID, e.TaskID}
			if e.TaskID == 0 || a == nil {
				continue
			}
			key := tryKey{a.ID, trowel.TryID{Task: e.TaskID, Number: e.Try}}
			switch {
			case isClaim(e):
				if e.Try != last[task]+1 {
					f.add("attempt %d: try %d of %s comes after try %d", a.ID, e.Try, a.name(e.TaskID), last[task])
				}
				last[task] = e.Try
				claims[key] = &claim{agent: e.Actor}
			case isRelease(e):
				if claims[key] == nil || claims[key].move != "" {
					f.add("attempt %d: try %d of %s ends by %s, and does not run", a.ID, e.Try, a.name(e.TaskID), e.Cause)
					continue
				}
				claims[key].move = e.Cause
			}
		}
	}
	return claims
}

// isClaim reports whether an entry is the beginning of a try.
func isClaim(e *trowel.AuditEntry) bool { return e.Cause == string(trowel.TransitionClaim) }

// isRelease reports whether an entry is the end of a try.
func isRelease(e *trowel.AuditEntry) bool {
	return e.From == trowel.TaskRunning.String() && e.To != e.From
}
