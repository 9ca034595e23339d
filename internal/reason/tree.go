package reason

import (
	"cmp"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Tree has the tasks of an attempt, as far as they say which task waits for which. It may be incomplete: the tasks in
// question, their ancestors, and the upstreams of blocked ones are enough. It is not safe for concurrent use.
type Tree struct {
	nodes  map[trowel.TaskID]*node
	counts map[trowel.TaskID][]trowel.ChildCount
	ranks  map[trowel.WaitCode]int
}

type node struct {
	trowel.TaskOutline

	children []*node // those that are in the tree, by id
	judged   bool
	ends     []end // why it can never run; none if it still may
}

// end is a reason why a blocked task can never run.
type end struct {
	code  trowel.WaitCode
	task  trowel.TaskID   // the ancestor that ended, or the task whose upstreams did not succeed
	fatal []trowel.TaskID // upstreams that did not succeed
}

// everyRound is the ParentRound of tasks that count in all rounds of their parent (language S45b).
const everyRound = -1

// NewTree returns a tree of these tasks.
func NewTree(outlines ...trowel.TaskOutline) *Tree {
	t := &Tree{nodes: make(map[trowel.TaskID]*node, len(outlines)), counts: map[trowel.TaskID][]trowel.ChildCount{}, ranks: rankOf()}
	t.Add(outlines...)
	return t
}

// Add adds tasks, which must come in the order of their ids. Tasks that are there already stay unchanged.
func (t *Tree) Add(outlines ...trowel.TaskOutline) {
	added := make([]node, 0, len(outlines)) // one allocation: there may be 100,000
	for i := range outlines {
		if t.nodes[outlines[i].ID] == nil {
			added = append(added, node{TaskOutline: outlines[i]})
			t.nodes[outlines[i].ID] = &added[len(added)-1]
		}
	}
	for i := range added {
		if parent := t.nodes[added[i].ParentID]; parent != nil {
			parent.children = append(parent.children, &added[i])
		}
	}
}

// Count gives the tree the number of a task's children, so that it need not have these.
func (t *Tree) Count(parent trowel.TaskID, counts []trowel.ChildCount) { t.counts[parent] = counts }

// CutOff tells the tree that a blocked task can never run. It is for tasks whose own upstreams are not in the tree.
func (t *Tree) CutOff(id trowel.TaskID) {
	if n := t.nodes[id]; n != nil && !n.judged {
		n.judged, n.ends = true, []end{{code: trowel.WaitNotReached, task: id}}
	}
}

// Find returns a task; nil if it is not in the tree.
func (t *Tree) Find(id trowel.TaskID) *trowel.TaskOutline {
	if n := t.nodes[id]; n != nil {
		return &n.TaskOutline
	}
	return nil
}

// Open returns the upstreams of a task that have not succeeded, in order, each once.
func (t *Tree) Open(id trowel.TaskID) []trowel.TaskID {
	n := t.nodes[id]
	if n == nil {
		return nil
	}
	var open []trowel.TaskID
	seen := map[trowel.TaskID]bool{}
	for _, up := range n.Upstreams {
		if u := t.nodes[up]; u != nil && u.State != trowel.TaskSuccess && !seen[up] {
			seen[up] = true
			open = append(open, up)
		}
	}
	return open
}

// Unreachable reports whether a blocked task can never run unless somebody changes what has ended (control K203). It is
// false for tasks in other states.
func (t *Tree) Unreachable(id trowel.TaskID) bool {
	n := t.nodes[id]
	return n != nil && n.State == trowel.TaskBlocked && len(t.judge(n)) > 0
}

// judge returns why a blocked task can never run. It recurses to the ancestors and upstreams, and remembers the results.
// Callers with many tasks judge them in the order of their ids, so that the recursion stays shallow.
func (t *Tree) judge(n *node) []end {
	if n.State != trowel.TaskBlocked || n.judged {
		return n.ends
	}
	n.judged = true // set before the recursion, so that a cycle ends
	parent := t.nodes[n.ParentID]
	if parent != nil {
		n.ends = append(n.ends, t.endOf(n, parent)...)
	}
	var fatal []trowel.TaskID
	for _, up := range n.Upstreams {
		if u := t.nodes[up]; u != nil && t.class(u) != "" && !slices.Contains(fatal, up) {
			fatal = append(fatal, up)
			if len(fatal) == maxNamed {
				break
			}
		}
	}
	if len(fatal) > 0 {
		n.ends = append(n.ends, end{code: trowel.WaitNotReached, task: n.ID, fatal: fatal})
	}
	if parent != nil && !present(n, parent) && !slices.ContainsFunc(n.ends, func(e end) bool { return e.code == trowel.WaitNotReached }) {
		n.ends = append(n.ends, end{code: trowel.WaitNotReached, task: n.ID})
	}
	if len(n.ends) > 1 {
		slices.SortStableFunc(n.ends, func(a, b end) int { return cmp.Compare(t.ranks[a.code], t.ranks[b.code]) })
		n.ends = slices.CompactFunc(n.ends, func(a, b end) bool { return a.code == b.code })
	}
	return n.ends
}

// maxNamed is the largest number of tasks that a reason names (control K819).
const maxNamed = 10

// endOf returns why a blocked task can never run because of its parent.
func (t *Tree) endOf(n, parent *node) []end {
	switch parent.State {
	case trowel.TaskError, trowel.TaskGroupError:
		return []end{{code: trowel.WaitParentFailed, task: parent.ID}}
	case trowel.TaskCanceled:
		return []end{{code: trowel.WaitParentCanceled, task: parent.ID}}
	case trowel.TaskSkipped:
		return []end{{code: trowel.WaitParentSkipped, task: parent.ID}}
	case trowel.TaskBlocked:
		return t.judge(parent)
	case trowel.TaskPlanned:
		if failing(parent) && !handler(n, parent) {
			return []end{{code: trowel.WaitParentFailed, task: parent.ID}}
		}
	case trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskRunning, trowel.TaskSuccess,
		trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return nil
}

// class is the class of control K201 of an upstream that will never succeed: F, K or N. It is empty for one that has
// succeeded or still may.
func (t *Tree) class(u *node) string {
	switch u.State {
	case trowel.TaskError, trowel.TaskGroupError, trowel.TaskCanceled:
		return "F"
	case trowel.TaskSkipped:
		return "K"
	case trowel.TaskBlocked:
		if len(t.judge(u)) > 0 {
			return "N"
		}
	case trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskRunning, trowel.TaskPlanned,
		trowel.TaskSuccess, trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return ""
}

// present reports whether a task belongs to the present round of its parent (language X14).
func present(n, parent *node) bool {
	return n.ParentRound == parent.Round || n.ParentRound == everyRound
}

// failing reports whether a planned task has failed, so that only its handlers run (control K208).
func failing(n *node) bool {
	return n.Flags&(trowel.TaskDelayedError|trowel.TaskDelayedGroupError) != 0
}

// handler reports whether a task handles the failure of its parent.
func handler(n, parent *node) bool {
	own, _ := strings.CutPrefix(n.FullName, parent.FullName)
	return strings.HasPrefix(own, "^error") || strings.HasPrefix(own, "^failure-alert")
}

// FollowUpstreams follows the upstreams of a blocked task as long as they are blocked too, and returns the first that is not: the
// one that all of them wait for.
func (t *Tree) FollowUpstreams(id trowel.TaskID) trowel.TaskID {
	seen := map[trowel.TaskID]bool{}
	for !seen[id] {
		seen[id] = true
		open := t.Open(id)
		if len(open) == 0 {
			return id
		}
		id = open[0]
		for _, up := range open {
			if t.nodes[up].State != trowel.TaskBlocked {
				return up
			}
		}
	}
	return id
}
