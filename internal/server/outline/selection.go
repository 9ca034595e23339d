package outline

import (
	"cmp"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Orders of a list of tasks.
const (
	SortOrder = "order" // as written: a group before its tasks
	SortTime  = "ms"    // the longest first
	SortStart = "start" // the earliest first; what has not started comes last
)

// Superseded is the word of a filter for tasks of earlier rounds of a repeated group. No other filter finds them.
const Superseded = "superseded"

// Filters are the words of a filter besides the names of states.
func Filters() []string {
	return []string{"failed", "waiting", "queued", "not_reached", Superseded}
}

// Query selects tasks of a tree.
type Query struct {
	Parent *Node    // only tasks below this one; nil for all
	Depth  int      // so many levels below the parent; zero for all
	Filter []string // of Filters, or names of states: tasks of any of these; none for all
	Text   string   // part of the full name, whatever its case
	Flat   bool     // what matches, however deep; unless it is sorted, with what is above
	Sort   string   // one of the Sort constants
	Now    int64    // microseconds, for how long running tasks took
}

// same reports whether two queries have the same result, but for how long running tasks took.
func (q *Query) same(other *Query) bool {
	return q.Parent == other.Parent && q.Depth == other.Depth && q.Flat == other.Flat && q.Sort == other.Sort && q.Text == other.Text &&
		slices.Equal(q.Filter, other.Filter)
}

// filters reports whether some tasks may not match.
func (q *Query) filters() bool { return len(q.Filter) > 0 || q.Text != "" }

// Selection is the result of a query, in its order.
type Selection struct {
	Matches int // how many tasks match, without those that are shown for what is below them

	tree   *Tree
	query  Query
	number int32
	sorted []sortedNode // nil in the order as written
}

// sortedNode is a task with the value by which it is sorted.
type sortedNode struct {
	*Node
	value int64
}

// Select finds the tasks of a query. The tree remembers the last result, for further pages.
func (t *Tree) Select(q Query) *Selection {
	if s := t.last; s != nil && s.query.same(&q) {
		return s
	}
	s := &Selection{tree: t, query: q}
	switch {
	case q.filters():
		s.mark()
	case q.Flat:
		if q.Parent == nil {
			s.Matches = len(t.nodes)
		} else {
			t.walk(q.Parent, 0, nil, func(*Node) bool { s.Matches++; return true })
		}
	case q.Parent != nil:
		s.Matches = len(q.Parent.Children)
	case t.Root != nil:
		s.Matches = 1
	}
	if q.Sort != "" && q.Sort != SortOrder {
		s.sort()
	}
	t.last = s
	return s
}

// mark marks what matches, and what is above it.
func (s *Selection) mark() {
	s.tree.selected++
	s.number = s.tree.selected
	text := strings.ToLower(s.query.Text)
	for _, n := range s.tree.nodes {
		if !s.matches(n, text) || s.query.Parent != nil && !n.below(s.query.Parent) {
			continue
		}
		n.matched = s.number
		s.Matches++
		for up := n; up != nil && up.shown != s.number; up = up.Parent {
			up.shown = s.number
		}
	}
}

func (n *Node) below(parent *Node) bool {
	for n != nil && n.Depth > parent.Depth {
		n = n.Parent
	}
	return n == parent
}

func (s *Selection) matches(n *Node, text string) bool {
	old := slices.Contains(s.query.Filter, Superseded)
	if n.Old != old || text != "" && !strings.Contains(strings.ToLower(n.FullName), text) {
		return false
	}
	return old || len(s.query.Filter) == 0 || slices.ContainsFunc(s.query.Filter, func(word string) bool { return s.tree.is(n, word) })
}

// is reports whether a word of a filter fits a task.
func (t *Tree) is(n *Node, word string) bool {
	switch word {
	case "failed": // not the groups that failed because of it
		return n.State == trowel.TaskError || n.State == trowel.TaskGroupError && (n.Counts == nil || n.Counts[trowel.TaskError] == 0)
	case "not_reached":
		return t.Unreached(n)
	case "queued":
		return n.State == trowel.TaskReady
	case "waiting":
		return !n.State.Done() && n.State != trowel.TaskRunning && n.State != trowel.TaskPlanned && !t.Unreached(n)
	case trowel.TaskBlocked.String():
		return n.State == trowel.TaskBlocked && !t.Unreached(n)
	}
	return n.State.String() == word
}

// Has reports whether a task matches the query by itself.
func (s *Selection) Has(n *Node) bool { return !s.query.filters() || n.matched == s.number }

// shows reports whether a task is in the list: by itself, or for what is below it.
func (s *Selection) shows(n *Node) bool { return !s.query.filters() || n.shown == s.number }

func (s *Selection) sort() {
	add := func(n *Node) {
		value := -n.took(s.query.Now)
		if s.query.Sort == SortStart {
			if value = n.startedAt; value == 0 {
				value = 1<<63 - 1
			}
		}
		s.sorted = append(s.sorted, sortedNode{n, value})
	}
	s.sorted = []sortedNode{}
	switch {
	case s.query.Flat:
		for _, n := range s.tree.nodes {
			if s.Has(n) && (s.query.filters() || !n.Old) && (s.query.Parent == nil || n != s.query.Parent && n.below(s.query.Parent)) {
				add(n)
			}
		}
	case s.query.Parent != nil:
		for _, n := range s.query.Parent.Children {
			if s.shows(n) {
				add(n)
			}
		}
	case s.tree.Root != nil && s.shows(s.tree.Root):
		add(s.tree.Root)
	}
	slices.SortFunc(s.sorted, compareSorted)
}

func compareSorted(a, b sortedNode) int {
	return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.ID, b.ID))
}

// Key is the place of a task in a selection, after which the next page begins.
type Key struct {
	Value int64 // by which it is sorted; zero in the order as written
	ID    trowel.TaskID
}

// Page returns up to limit tasks after a key, from the beginning if it is nil, and the key of the last one; nil if no more
// follow.
func (s *Selection) Page(after *Key, limit int) (page []*Node, next *Key) {
	if s.sorted != nil {
		return s.sortedPage(after, limit)
	}
	more := false
	collect := func(n *Node) bool {
		if more = len(page) == limit; !more {
			page = append(page, n)
		}
		return !more
	}
	depth := s.query.Depth
	if s.query.Flat {
		depth = 0
	}
	var from *Node
	if after != nil {
		if from = s.tree.Find(after.ID); from == nil {
			return nil, nil // its attempt was begun anew; there is nothing after it
		}
	}
	if s.query.Filter != nil && slices.Contains(s.query.Filter, Superseded) {
		s.old(after, collect)
	} else {
		s.tree.walkSome(s.query.Parent, depth, from, s.shows, collect)
	}
	if more {
		next = &Key{ID: page[len(page)-1].ID}
	}
	return page, next
}

// old calls f with the matching tasks of earlier rounds, which are in no list of children, by id.
func (s *Selection) old(after *Key, f func(n *Node) bool) {
	for _, n := range s.tree.nodes {
		if (after == nil || n.ID > after.ID) && s.Has(n) && !f(n) {
			return
		}
	}
}

func (s *Selection) sortedPage(after *Key, limit int) (page []*Node, next *Key) {
	from := 0
	if after != nil {
		key := sortedNode{&Node{ID: after.ID}, after.Value}
		at, found := slices.BinarySearchFunc(s.sorted, key, compareSorted)
		if from = at; found {
			from++
		}
	}
	for _, n := range s.sorted[from:min(len(s.sorted), from+limit)] {
		page = append(page, n.Node)
	}
	if end := from + len(page); end < len(s.sorted) {
		next = &Key{s.sorted[end-1].value, s.sorted[end-1].ID}
	}
	return page, next
}

// Around returns the tasks above a task, from the root on, and up to limit of its siblings with itself in their middle. next
// is the key after which the other siblings come.
func (t *Tree) Around(n *Node, limit int) (above, siblings []*Node, next *Key) {
	for up := n.Parent; up != nil; up = up.Parent {
		above = append(above, up)
	}
	slices.Reverse(above)
	if n.Parent == nil || n.Old {
		return above, []*Node{n}, nil
	}
	all := n.Parent.Children
	at := n.Index()
	from := max(0, min(at-limit/2, len(all)-limit))
	end := min(len(all), from+limit)
	if end < len(all) {
		next = &Key{ID: all[end-1].ID}
	}
	return above, all[from:end], next
}

// Index is the place of the task among its siblings, from 0; -1 for one of an earlier round.
func (n *Node) Index() int {
	if n.Parent == nil {
		return 0
	}
	at, found := slices.BinarySearchFunc(n.Parent.Children, n.ID, func(n *Node, id trowel.TaskID) int { return cmp.Compare(n.ID, id) })
	if !found {
		return -1
	}
	return at
}
