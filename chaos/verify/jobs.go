package verify

import trowel "github.com/trowel-project/trowel"

// jobs checks that each killed task with a job outside had a try that was to cancel it before it was canceled.
func (f *findings) jobs(h *History) {
	waits := map[taskKey]bool{}
	for _, c := range h.Commits {
		for i := range c.Entries {
			e := &c.Entries[i]
			a, task := h.Attempts[e.AttemptID], taskKey{e.AttemptID, e.TaskID}
			if e.TaskID == 0 || a == nil {
				continue
			}
			switch {
			case e.Cause == string(trowel.TransitionCancelJob):
				waits[task] = true
			case isClaim(e):
				delete(waits, task)
			case waits[task]:
				f.add("attempt %d: %s has a job to be canceled, and goes from %s to %s without a try", a.ID, a.name(e.TaskID), e.From, e.To)
				delete(waits, task)
			}
		}
	}
	for _, a := range h.Attempts {
		for _, t := range a.Tasks {
			if t.State != trowel.TaskCanceled && t.State.Done() && t.Flags&trowel.TaskHasJob != 0 {
				f.add("attempt %d: %s is %s, and has a job", a.ID, t.FullName, t.State)
			}
		}
	}
}
