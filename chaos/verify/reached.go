package verify

import (
	trowel "github.com/trowel-project/trowel"
)

// reached checks that all tasks of ended attempts are done, or rightly not reached: their parent
// or an upstream did not succeed, or the attempt was killed. In a successful attempt all are successful.
func (f *findings) reached(h *History) {
	for _, a := range h.Attempts {
		tasks := make(map[trowel.TaskID]*trowel.Task, len(a.Tasks))
		for _, t := range a.Tasks {
			tasks[t.ID] = t
		}
		for _, t := range a.Tasks {
			parent := tasks[t.ParentID]
			counts := parent != nil && t.ParentRound == parent.Round // language X14
			switch {
			case t.State.Done():
				if counts && parent.State == trowel.TaskSuccess && t.State != trowel.TaskSuccess && t.State != trowel.TaskSkipped {
					f.add("attempt %d: %s is a success, and its %s is %s", a.ID, parent.FullName, t.FullName, t.State)
				}
			case t.State != trowel.TaskBlocked:
				f.add("attempt %d has ended, but %s is %s", a.ID, t.FullName, t.State)
			case a.Flags&trowel.AttemptCancelRequested == 0 && !held(tasks, t, parent, counts):
				f.add("attempt %d has ended, and %s was not reached although nothing held it", a.ID, t.FullName)
			}
		}
	}
}

// held reports whether a blocked task could not begin.
func held(tasks map[trowel.TaskID]*trowel.Task, t, parent *trowel.Task, counts bool) bool {
	switch {
	case parent == nil, counts && parent.State == trowel.TaskSuccess:
		return false
	case !counts, parent.State != trowel.TaskGroupError:
		return true // its parent was repeated, failed by itself, or was not reached either
	}
	for _, id := range t.Upstreams {
		if up := tasks[id]; up == nil || up.State != trowel.TaskSuccess {
			return true
		}
	}
	return false
}
