package engine

import (
	"cmp"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// Refresh applies rows that another server changed or added, and returns them as they are in the task tree now. Its cost
// depends on these rows only, not on the size of the attempt.
func (img *TaskTree) Refresh(attempt trowel.Attempt, rows []*trowel.Task) []*trowel.Task {
	img.Attempt = attempt
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *trowel.Task) int { return cmp.Compare(a.ID, b.ID) })
	var added []*task
	for _, row := range rows {
		if t := img.tasks[row.ID]; t != nil {
			t.count(-1) // before any round changes
			continue
		}
		added = append(added, &task{Task: *row})
	}
	var again []*task // tasks that are in another round now
	for _, row := range rows {
		if t := img.tasks[row.ID]; t != nil && img.replace(t, row) {
			again = append(again, t)
		}
	}
	for _, row := range rows {
		if t := img.tasks[row.ID]; t != nil {
			t.count(1)
		}
	}
	img.attach(added)
	for _, t := range added {
		img.queueReady(t)
		if t.storing() > 0 {
			img.storedLate(t)
		}
	}
	for _, t := range again {
		t.countChildren()
	}
	changed := make([]*trowel.Task, len(rows))
	for i, row := range rows {
		changed[i] = &img.tasks[row.ID].Task
	}
	return changed
}

// replace takes over a row, and reports whether the task is in another round now. It keeps the parts that never change,
// because tasks share them.
func (img *TaskTree) replace(t *task, row *trowel.Task) bool {
	was, stored := t.Task, t.storing()
	t.Task = *row
	t.Local, t.Export, t.Upstreams = was.Local, was.Export, was.Upstreams
	t.addStores(t.storing() - stored)
	t.inside = nil
	if stored+t.storing() > 0 {
		img.storedLate(t)
	}
	if t.State == trowel.TaskSuccess && was.State != trowel.TaskSuccess {
		for _, g := range t.successors {
			g.waiting--
		}
	}
	if was.State == trowel.TaskRunning {
		img.running--
	}
	if t.State == trowel.TaskRunning {
		img.running++
	}
	if was.State != trowel.TaskReady || !was.ReadyAt.Equal(t.ReadyAt) {
		img.queueReady(t)
	}
	return t.Round != was.Round
}

// countChildren recounts the children of the present round.
func (t *task) countChildren() {
	t.running, t.failed = 0, 0
	for _, c := range t.children {
		c.count(1)
	}
}

// queueReady inserts a ready task into the queue, ordered by instant.
func (img *TaskTree) queueReady(t *task) {
	if t.State != trowel.TaskReady {
		return
	}
	img.tidyReady()
	r := readyEntry{t, t.ReadyAt}
	at := len(img.ready)
	for at > 0 && img.ready[at-1].at.After(r.at) {
		at--
	}
	img.ready = slices.Insert(img.ready, at, r)
}
