package engine

import (
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Due is the instant at which a waiting task goes on (language X8, X34). It does nothing to a task that does not wait,
// or that waits for a later instant.
type Due struct{ Task trowel.TaskID }

func (d Due) apply(a *applying) {
	t := a.img.tasks[d.Task]
	if t == nil || t.RetryAt.After(a.at) {
		return
	}
	switch t.State {
	case trowel.TaskRetryWaiting:
		t.WaitReason, t.RetryAt = "", time.Time{}
		a.move(t, trowel.TransitionDue, trowel.TaskReady, true)
	case trowel.TaskGroupRetryWaiting:
		t.Round++
		t.countChildren() // only those that count in every round
		t.WaitReason, t.RetryAt = "", time.Time{}
		if t.Group {
			a.move(t, trowel.TransitionDue, trowel.TaskReady, true)
			a.restart(t)
			return
		}
		a.makeReady(t, trowel.TransitionDue) // its option values are evaluated again (control K109)
	case trowel.TaskBlocked, trowel.TaskReady, trowel.TaskRunning, trowel.TaskPlanned, trowel.TaskGroupError,
		trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped, trowel.TaskDeferred,
		trowel.TaskAwaitingInput:
	}
}

// restart begins the subtree of a group again: it copies the tasks that the last round began with and plans the group
// (language X37). Copies have their own retries, also below a copied group (differs from X39, see
// docs/compatibility.md).
func (a *applying) restart(t *task) {
	copies := map[trowel.TaskID]*task{}
	var added []*task
	for _, old := range t.stated(t.Round - 1) {
		c := &task{Task: trowel.Task{
			ID: a.nextID(), AttemptID: t.AttemptID, ParentID: old.ParentID, ParentRound: 0,
			FullName: old.FullName, Group: old.Group, Local: old.Local, Export: old.Export, Origin: old.Origin,
			Flags: old.Flags & trowel.TaskInitial, UpdatedAt: a.at,
		}}
		if parent := copies[old.ParentID]; parent != nil {
			c.ParentID = parent.ID
		} else {
			c.ParentRound = t.Round
		}
		copies[old.ID] = c
		added = append(added, c)
	}
	a.copyUpstreams(added, copies, t)
	a.img.attach(added)
	for _, c := range added {
		a.out.Changes = append(a.out.Changes, Change{Task: &c.Task, Transition: trowel.TransitionInsert, To: c.State, New: true})
	}
	a.setResult(t, trowel.Result{})
	a.move(t, trowel.TransitionRestart, trowel.TaskPlanned, true)
	a.then(t, opened)
}

// stated lists the tasks that a round of a group began with, each group before its children: the tasks written in the
// group's body and below them, without those that operators or failures generated. The group's own place does not
// matter: one in an _error or _check body is retried like any other (differs from X37, see docs/compatibility.md).
func (t *task) stated(round int) []*task {
	var list []*task
	for _, c := range t.children {
		if c.ParentRound != round || c.generated() {
			continue
		}
		list = append(list, c)
		if c.Group {
			list = append(list, c.stated(c.Round)...)
		}
	}
	return list
}

// generated reports whether the task is the root of a tree that was added at run time.
func (t *task) generated() bool {
	return t.parent != nil && strings.HasPrefix(t.FullName[len(t.parent.FullName):], "^")
}

// copyUpstreams maps the upstreams of the originals to the copies; shared lists stay shared.
func (a *applying) copyUpstreams(added []*task, copies map[trowel.TaskID]*task, group *task) {
	lists := map[*trowel.TaskID][]trowel.TaskID{}
	for i, old := range group.stated(group.Round - 1) {
		if len(old.Upstreams) == 0 {
			continue
		}
		list, ok := lists[&old.Upstreams[0]]
		if !ok || len(list) != len(old.Upstreams) {
			list = make([]trowel.TaskID, len(old.Upstreams))
			for j, id := range old.Upstreams {
				list[j] = copies[id].ID
			}
			lists[&old.Upstreams[0]] = list
		}
		added[i].Upstreams = list
	}
}
