package outline

import (
	"cmp"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// everyRound is the ParentRound of tasks that count in all rounds of their parent.
const everyRound = -1

// Tree has all tasks of an attempt. It is valid while the function runs that Cache.Read calls, and must not be changed.
type Tree struct {
	Version int64 // of the attempt, at least; zero for one that has no tasks
	Root    *Node // nil if the attempt has no tasks yet
	Ended   bool  // the tasks are archived, and change no more

	nodes     []*Node // by id
	lastAudit int64   // up to this row of the audit all changes are known
	bytes     int64   // about what the tree takes
	failed    bool    // a task has ended otherwise than with success, so some may be unreachable
	lists     map[*trowel.TaskID]bool
	last      *Selection
	selected  int32 // number of the last selection
}

// Len is the number of tasks, with those of earlier rounds.
func (t *Tree) Len() int { return len(t.nodes) }

// Find returns a task; nil if there is none.
func (t *Tree) Find(id trowel.TaskID) *Node {
	i, ok := slices.BinarySearchFunc(t.nodes, id, func(n *Node, id trowel.TaskID) int { return cmp.Compare(n.ID, id) })
	if !ok {
		return nil
	}
	return t.nodes[i]
}

// FindName returns the task of a full name, and the newest if a retry of a group has made several; nil if there is none.
func (t *Tree) FindName(name string) *Node {
	for _, n := range slices.Backward(t.nodes) {
		if n.FullName == name {
			return n
		}
	}
	return nil
}

// All calls f with each task, with those of earlier rounds, by id.
func (t *Tree) All(f func(n *Node)) {
	for _, n := range t.nodes {
		f(n)
	}
}

// put adds a task, or changes it. It reports whether link is needed: else count is enough.
func (t *Tree) put(row *trowel.TaskLine) (structure bool) {
	i, ok := len(t.nodes), false
	if i > 0 && t.nodes[i-1].ID >= row.ID {
		i, ok = slices.BinarySearchFunc(t.nodes, row.ID, func(n *Node, id trowel.TaskID) int { return cmp.Compare(n.ID, id) })
	}
	if ok {
		n := t.nodes[i]
		row.FullName = n.FullName                                                          // a task keeps it: one copy is enough
		structure = n.Round != int32(row.Round) || n.ParentRound != int32(row.ParentRound) //nolint:gosec // small numbers
		n.set(row)
		return structure
	}
	n := &Node{}
	n.set(row)
	t.nodes = slices.Insert(t.nodes, i, n)
	t.bytes += nodeBytes + int64(len(n.FullName))
	return true
}

// link finds parents and children, and counts. It must be called after tasks were put that are new, or of another round.
func (t *Tree) link() {
	t.Root = nil
	for _, n := range t.nodes {
		n.Parent, n.Children, n.Counts, n.Old = nil, n.Children[:0], nil, false
	}
	var parent *Node
	for _, n := range t.nodes {
		if n.parentID == 0 {
			t.Root = n
			continue
		}
		if parent == nil || parent.ID != n.parentID { // siblings often follow each other
			parent = t.Find(n.parentID)
		}
		if parent == nil || parent.ID > n.ID {
			n.Old = true // of no tree; there are none such
			continue
		}
		n.Parent, n.Depth = parent, parent.Depth+1
		if n.Old = parent.Old || n.ParentRound != parent.Round && n.ParentRound != everyRound; !n.Old {
			parent.Children = append(parent.Children, n)
		}
	}
	t.count()
}

// count counts tasks by state. With 100,000 tasks it takes a few milliseconds, so nobody needs to work out what exactly
// has changed.
func (t *Tree) count() {
	t.last, t.failed, t.lists = nil, false, map[*trowel.TaskID]bool{}
	for _, n := range t.nodes {
		if n.judged, n.never = false, false; n.Counts != nil {
			*n.Counts = Counts{}
		}
		t.failed = t.failed || n.State.Done() && n.State != trowel.TaskSuccess || n.failing()
	}
	for _, n := range slices.Backward(t.nodes) { // a parent has a smaller id than its children
		if n.Parent != nil && !n.Old {
			t.addUp(n.Parent, n)
		}
	}
}

// addUp adds a task, and what is counted below it, to its parent.
func (t *Tree) addUp(up, n *Node) {
	if up.Counts == nil {
		up.Counts = &Counts{}
	}
	switch {
	case n.Group || int(n.State) >= States:
	case t.Unreached(n):
		up.Counts[Unreached]++
	default:
		up.Counts[n.State]++
	}
	if n.Counts != nil {
		for state, number := range n.Counts {
			up.Counts[state] += number
		}
	}
	if up.Group && n.startedAt != 0 && (up.startedAt == 0 || n.startedAt < up.startedAt) {
		up.startedAt = n.startedAt
	}
}

// Unreached reports whether a blocked task can never run unless somebody changes what has ended (control K203). It is false
// for tasks in other states.
func (t *Tree) Unreached(n *Node) bool {
	if n.State != trowel.TaskBlocked || !t.failed {
		return false
	}
	if !n.judged {
		n.judged = true // set before the recursion, so that a cycle ends
		n.never = n.Old || t.cutOff(n) || t.anyFatal(n.Upstreams)
	}
	return n.never
}

// cutOff reports whether the parent of a task keeps it from running for ever.
func (t *Tree) cutOff(n *Node) bool {
	p := n.Parent
	switch {
	case p == nil:
		return false
	case p.State == trowel.TaskBlocked:
		return t.Unreached(p)
	case p.State == trowel.TaskPlanned:
		return p.failing() && !n.handler()
	}
	return p.State.Done() && p.State != trowel.TaskSuccess
}

// anyFatal reports whether one of the upstreams will never succeed. Tasks share their lists of upstreams.
func (t *Tree) anyFatal(list []trowel.TaskID) bool {
	if len(list) == 0 {
		return false
	}
	known, ok := t.lists[&list[0]]
	if ok {
		return known
	}
	fatal := slices.ContainsFunc(list, func(id trowel.TaskID) bool {
		up := t.Find(id)
		return up != nil && (up.State.Done() && up.State != trowel.TaskSuccess || t.Unreached(up))
	})
	t.lists[&list[0]] = fatal
	return fatal
}
