package reason

import (
	"cmp"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// openChildren counts the children of the present round of a task by state. first is the first one in progress, or else
// the first blocked one; zero if all are done.
func (t *Tree) openChildren(n *node) (counts map[trowel.TaskState]int, first trowel.TaskID) {
	counts = map[trowel.TaskState]int{}
	progressing, blocked := trowel.TaskID(0), trowel.TaskID(0)
	for _, c := range t.childCounts(n) {
		if c.ParentRound != n.Round && c.ParentRound != everyRound {
			continue
		}
		counts[c.State] += c.Count
		switch {
		case c.State.Progressing() && (progressing == 0 || c.First < progressing):
			progressing = c.First
		case c.State == trowel.TaskBlocked && (blocked == 0 || c.First < blocked):
			blocked = c.First
		}
	}
	if progressing != 0 {
		return counts, progressing
	}
	return counts, blocked
}

// FirstOpen returns the first child of the present round that is in progress, or else the first blocked one; zero if all
// are done.
func (t *Tree) FirstOpen(id trowel.TaskID) trowel.TaskID {
	n := t.nodes[id]
	if n == nil {
		return 0
	}
	_, first := t.openChildren(n)
	return first
}

// FailedChild returns the first child of the present round that failed, or else the first canceled one; zero if there is
// none.
func (t *Tree) FailedChild(id trowel.TaskID) trowel.TaskID {
	n := t.nodes[id]
	if n == nil {
		return 0
	}
	failed, canceled := trowel.TaskID(0), trowel.TaskID(0)
	for _, c := range t.childCounts(n) {
		if c.ParentRound != n.Round && c.ParentRound != everyRound {
			continue
		}
		if c.State.Failed() && (failed == 0 || c.First < failed) {
			failed = c.First
		}
		if c.State == trowel.TaskCanceled && (canceled == 0 || c.First < canceled) {
			canceled = c.First
		}
	}
	if failed != 0 {
		return failed
	}
	return canceled
}

// childCounts are the counts given to Count, or else those of the children in the tree.
func (t *Tree) childCounts(n *node) []trowel.ChildCount {
	if counts, told := t.counts[n.ID]; told {
		return counts
	}
	type key struct {
		round int
		state trowel.TaskState
	}
	found := map[key]*trowel.ChildCount{}
	var list []trowel.ChildCount
	for _, c := range n.children {
		k := key{c.ParentRound, c.State}
		if found[k] == nil {
			found[k] = &trowel.ChildCount{ParentRound: k.round, State: k.state, First: c.ID}
		}
		found[k].Count++
	}
	for _, c := range found {
		list = append(list, *c)
	}
	return list
}

// ListWaiting returns up to limit tasks that are neither running nor done and have an id above after, ordered by id.
func (t *Tree) ListWaiting(after trowel.TaskID, limit int) []trowel.TaskID {
	var ids []trowel.TaskID
	for id, n := range t.nodes {
		if id > after && n.State != trowel.TaskRunning && !n.State.Done() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), limit)]
}

// Waiting is how many tasks of an attempt have the same first reason.
type Waiting struct {
	Code   trowel.WaitCode
	Arg    string // the name of what they wait for, such as a pool or a queue; may be empty
	Count  int
	Sample trowel.TaskID // the one with the smallest id
}

// Waiting counts the tasks of a whole tree that are neither running nor done by their first reasons. Succeeded tasks
// that are no groups may be missing in the tree. The caller counts the ready tasks, because their reasons depend on more
// than the tree.
func (t *Tree) Waiting(f *Facts, ready []Waiting) []Waiting {
	type key struct {
		code trowel.WaitCode
		arg  string
	}
	found := map[key]*Waiting{}
	add := func(w Waiting) {
		k := key{w.Code, w.Arg}
		if known := found[k]; known != nil {
			known.Count, known.Sample = known.Count+w.Count, min(known.Sample, w.Sample)
			return
		}
		found[k] = &w
	}
	for _, w := range ready {
		add(w)
	}
	for _, id := range slices.Sorted(maps.Keys(t.nodes)) {
		if code := t.firstCode(t.nodes[id], f); code != "" {
			add(Waiting{Code: code, Count: 1, Sample: id})
		}
	}
	list := make([]Waiting, 0, len(found))
	for _, w := range found {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b Waiting) int {
		if a.Code != b.Code {
			return t.ranks[a.Code] - t.ranks[b.Code]
		}
		return cmp.Compare(a.Sample, b.Sample)
	})
	return list
}

// firstCode is the code of the first reason of a task; empty if it has none, or is ready.
func (t *Tree) firstCode(n *node, f *Facts) trowel.WaitCode {
	switch n.State {
	case trowel.TaskBlocked:
		return t.firstBlocked(n, f)
	case trowel.TaskPlanned:
		if failing(n) {
			return trowel.WaitHandlers
		}
		return trowel.WaitChildren
	case trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskDeferred, trowel.TaskAwaitingInput:
		return CodeOf(&n.TaskOutline)
	case trowel.TaskReady, trowel.TaskRunning, trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped:
	}
	return ""
}
