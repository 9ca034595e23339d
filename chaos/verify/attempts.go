package verify

import (
	trowel "github.com/trowel-project/trowel"
)

// life is what the audit says about an attempt.
type life struct {
	starts int
	cause  string // of the first start
	moved  bool   // a task has moved
	end    string // its final status; empty before
	endsIn int    // the index of the transaction in which it ended
}

// backfill is the cause of attempts that are accepted first and begin later.
const backfill = "backfill"

// attempts checks that each attempt began once and ended once, as its flags say, and that nothing
// happened before and after.
func (f *findings) attempts(h *History) {
	lives := map[trowel.AttemptID]*life{}
	for place, c := range h.Commits {
		for i := range c.Entries {
			e := &c.Entries[i]
			if lives[e.AttemptID] == nil {
				lives[e.AttemptID] = &life{}
			}
			f.entry(h, lives[e.AttemptID], place, e)
		}
	}
	for id, a := range h.Attempts {
		l := lives[id]
		if l == nil {
			l = &life{}
		}
		switch {
		case l.starts != 1:
			f.add("attempt %d of %s was started %d times", id, a.Workflow, l.starts)
		case a.Flags&trowel.AttemptDone == 0:
			f.add("attempt %d of %s has not ended", id, a.Workflow)
		case l.end != a.Flags.Status():
			f.add("attempt %d of %s is %s, and the audit ends it as %q", id, a.Workflow, a.Flags.Status(), l.end)
		case a.Live > 0:
			f.add("attempt %d of %s has ended, and has %d live tasks", id, a.Workflow, a.Live)
		case !a.Archived && a.Flags&trowel.AttemptCancelRequested == 0:
			f.add("attempt %d of %s has ended without an archive of its tasks", id, a.Workflow)
		}
	}
}

func (f *findings) entry(h *History, l *life, place int, e *trowel.AuditEntry) {
	a := h.Attempts[e.AttemptID]
	if a == nil {
		f.add("the audit tells of attempt %d, which is not there", e.AttemptID)
		return
	}
	switch {
	case e.TaskID != 0:
		l.moved = true
	case e.From != "":
	case l.starts == 1 && !l.moved && l.cause == backfill && e.Cause == backfill:
		// It was accepted first, and begins when its turn has come.
	default:
		l.starts, l.cause = l.starts+1, e.Cause
	}
	if l.starts == 0 {
		f.add("attempt %d: %s goes to %s by %s before the attempt was started", a.ID, a.name(e.TaskID), e.To, e.Cause)
	}
	if l.end != "" && l.endsIn != place {
		f.add("attempt %d: %s goes to %s by %s after the end of the attempt", a.ID, a.name(e.TaskID), e.To, e.Cause)
	}
	if !isEnd(e) {
		return
	}
	if l.end != "" {
		f.add("attempt %d ends as %s, and again as %s", a.ID, l.end, e.To)
	}
	l.end, l.endsIn = e.To, place
}

// isEnd reports whether an entry is the end of an attempt.
func isEnd(e *trowel.AuditEntry) bool { return e.TaskID == 0 && e.Cause == "end" }
