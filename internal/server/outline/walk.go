package outline

// walk is walkSome with all tasks.
func (t *Tree) walk(parent *Node, depth int, after *Node, f func(n *Node) bool) {
	t.walkSome(parent, depth, after, func(*Node) bool { return true }, f)
}

// walkSome calls f with the tasks below a parent, or with all if it is nil, as they are written: a group before its tasks. It
// passes over those that some does not want, with all below them. It goes so many levels down, or to the end if depth is
// zero, begins behind the task after, and ends when f returns false.
func (t *Tree) walkSome(parent *Node, depth int, after *Node, some, f func(n *Node) bool) {
	w := walker{some: some, f: f, parent: parent}
	if depth > 0 {
		w.lowest = int16(min(depth, maxDepth)) - 1 //nolint:gosec // bounded
		if parent != nil {
			w.lowest += parent.Depth + 1
		}
	} else {
		w.lowest = maxDepth
	}
	switch {
	case after != nil:
		w.behind(after)
	case parent != nil:
		w.list(parent.Children)
	case t.Root != nil:
		w.visit(t.Root)
	}
}

// maxDepth is larger than the depth of any tree.
const maxDepth = 1 << 14

type walker struct {
	some, f func(n *Node) bool
	parent  *Node
	lowest  int16
}

func (w *walker) visit(n *Node) bool {
	if !w.some(n) {
		return true
	}
	return w.f(n) && (n.Depth >= w.lowest || w.list(n.Children))
}

func (w *walker) list(children []*Node) bool {
	for _, child := range children {
		if !w.visit(child) {
			return false
		}
	}
	return true
}

// behind goes on after a task that was visited.
func (w *walker) behind(n *Node) {
	if n.Depth < w.lowest && !w.list(n.Children) {
		return
	}
	for ; n != w.parent && n.Parent != nil; n = n.Parent {
		if at := n.Index(); at >= 0 && !w.list(n.Parent.Children[at+1:]) {
			return
		}
	}
}
