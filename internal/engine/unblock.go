package engine

import trowel "github.com/trowel-project/trowel"

// openChildren unblocks the children of a task that now lets its children run, if they wait for nothing else.
func (a *applying) openChildren(t *task) {
	for _, c := range t.children {
		if c.State == trowel.TaskBlocked && c.open() && c.mayRun() {
			a.unblock(c)
		}
	}
}

// openDownstream unblocks the tasks that waited for a task that succeeded, if they wait for nothing else.
func (a *applying) openDownstream(t *task) {
	if t.State != trowel.TaskSuccess {
		return
	}
	for _, g := range t.successors {
		g.waiting--
		if g.waiting > 0 {
			continue
		}
		for _, c := range g.waiters {
			if c.State == trowel.TaskBlocked && c.mayRun() {
				a.unblock(c)
			}
		}
	}
}

// unblock lets a blocked task run (language X9). It is called for blocked tasks only, and so only once.
func (a *applying) unblock(t *task) {
	switch {
	case t.Group:
		a.move(t, trowel.TransitionUnblock, trowel.TaskPlanned, false)
		a.then(t, opened)
	case t.Flags&trowel.TaskCancelRequested != 0:
		a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, false)
	default:
		a.makeReady(t, trowel.TransitionUnblock)
	}
}
