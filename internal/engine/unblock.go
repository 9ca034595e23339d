package engine

import trowel "github.com/trowel-project/trowel"

// openChildren unblocks the children of a task whose children may run now, as far as they wait for
// nobody else.
func (a *applying) openChildren(t *task) {
	for _, c := range t.children {
		if c.State == trowel.TaskBlocked && c.open() && c.mayRun() {
			a.unblock(c)
		}
	}
}

// openDownstream unblocks what waited for a task that succeeded and waits for nothing else.
func (a *applying) openDownstream(t *task) {
	if t.State != trowel.TaskSuccess {
		return
	}
	for _, g := range t.feeds {
		g.waiting--
		if g.waiting > 0 {
			continue
		}
		for _, c := range g.opens {
			if c.State == trowel.TaskBlocked && c.mayRun() {
				a.unblock(c)
			}
		}
	}
}

// unblock lets a task go whose turn has come (language X9). It is called only for blocked tasks, so
// a second call does not come.
func (a *applying) unblock(t *task) {
	switch {
	case t.Group:
		a.move(t, trowel.MoveUnblock, trowel.TaskPlanned, false)
		a.then(t, opened)
	case t.Flags&trowel.TaskCancelRequested != 0:
		a.move(t, trowel.MoveCancel, trowel.TaskCanceled, false)
	default:
		a.makeReady(t, trowel.MoveUnblock)
	}
}
