package live

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/loopname"
)

// Limits of a layout.
const (
	foldedTo    = 3    // how many tasks of a list are shown if it does not fit
	restFrom    = 6    // groups with at least so many children have a line about those that are left out
	scanLimit   = 1000 // how many children of a task a frame examines, besides those that run or failed
	failedPart  = 3    // failed tasks take at most 1/failedPart of the lines while others run
	leastHeight = 4    // with fewer lines only the roots are shown
)

// liveLine is one line of a frame: a task, or a text about tasks of a group that are left out.
type liveLine struct {
	depth int
	task  *liveTask       // nil for a text
	name  []loopname.Part // name of the task, after those of groups without a line of their own
	text  string          // about what is left out
}

// layout chooses what a frame shows. Running and failed tasks come first, then those that run next, then
// those that are done. A task is shown below its groups. If only one child of a group is shown, both share a
// line. A large group has one more line about tasks that are left out, as long as some of these
// run, wait or have failed.
type layout struct {
	frame int
	room  int         // how many lines are free
	open  []*liveTask // tasks whose children may be shown, in the order of choice
}

// lines lays out a frame of at most height lines.
func (t *liveTree) lines(height int) []liveLine {
	t.frame++
	l := layout{frame: t.frame, room: height}
	l.enter(&t.top)
	if height < leastHeight {
		l.addNext(&t.top)
		l.addSettled(&t.top)
		return appendLines(nil, &t.top, 0)
	}
	l.room -= t.top.lines(0, t.top.inside.unsettled()) - 1 // it has no line of its own
	l.addList(&t.failed, height/failedPart)
	l.addList(&t.active, height)
	l.addList(&t.failed, height)
	for i := 0; i < len(l.open); { // l.open grows meanwhile
		l.addNext(l.open[i])
		i++
	}
	for _, task := range l.open {
		l.addSettled(task)
	}
	return appendLines(make([]liveLine, 0, height), &t.top, 0)
}

// addList adds the first tasks of a list, as long as they take at most so many lines. For the
// first one that does not fit, it adds the nearest group that does.
func (l *layout) addList(list *taskList, lines int) {
	stop := l.room - lines
	for task := list.first; task != nil && l.room > stop; task = task.after {
		for a := task; !l.add(a); a = a.parent {
			stop = l.room // add no more after this one
		}
	}
}

// addNext adds the children of a task that wait for others, and those that are open but in which nothing
// runs: all of them if they fit, otherwise the next few.
func (l *layout) addNext(task *liveTask) {
	in := task.inside
	for in.waiting < len(in.children) && kindOf(in.children[in.waiting].state) != kindWaiting {
		in.waiting++
	}
	if task.state.Done() {
		return // the others will not run any more
	}
	in.scan(l, kindRunning, in.waiting-scanLimit/2)
	in.scan(l, kindWaiting, in.waiting)
}

// scan adds children of a kind, beginning at a place if there are very many.
func (in *liveInside) scan(l *layout, kind liveKind, from int) {
	want := l.fold(in.kinds[kind] - in.shown[kind])
	if len(in.children) <= scanLimit {
		from = 0
	}
	from = max(from, 0)
	for _, child := range in.children[from:min(from+scanLimit, len(in.children))] {
		if want == 0 {
			return
		}
		if kindOf(child.state) != kind || child.frame == l.frame {
			continue
		}
		want--
		if !l.add(child) {
			return
		}
	}
}

// addSettled adds the children of a task that are done: all of them if they fit, otherwise the latest few.
func (l *layout) addSettled(task *liveTask) {
	in := task.inside
	want := l.fold(in.kinds[kindDone] + in.kinds[kindCanceled])
	end := len(in.children)
	if end > scanLimit {
		end = in.waiting
	}
	for i := end - 1; i >= max(0, end-scanLimit) && want > 0; i-- {
		child := in.children[i]
		if child.frame == l.frame || !child.state.Done() {
			continue
		}
		want--
		if !l.add(child) {
			return
		}
	}
}

// fold returns how many of n tasks are shown: all of them if they fit, otherwise a few.
func (l *layout) fold(n int) int {
	if n <= l.room {
		return n
	}
	return min(n, foldedTo)
}

// add adds a task and those above it, and reports whether there was room.
func (l *layout) add(task *liveTask) bool {
	var path []*liveTask // from the task up to the first one that is already shown
	cost := 0
	shown, left := 0, 0 // of the children of the parent
	for a := task; a.frame != l.frame; a = a.parent {
		path = append(path, a)
		if a.inside != nil {
			left += a.inside.unsettled()
		}
		cost += a.lines(shown, left)
		shown, left = 1, -count(unsettled(kindOf(a.state)))
	}
	if len(path) == 0 {
		return true
	}
	above := path[len(path)-1].parent
	n, rest := len(above.inside.picked), above.inside.leftOut()
	cost += above.lines(n+shown, rest+left) - above.lines(n, rest)
	if cost > l.room {
		return false
	}
	l.room -= cost
	for _, a := range slices.Backward(path) {
		l.enter(a)
		in := a.parent.inside
		in.picked = append(in.picked, a)
		in.shown[kindOf(a.state)]++
	}
	return true
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lines returns how many lines a task takes if so many of its children are shown, and so many unsettled
// ones are not.
func (task *liveTask) lines(shown, left int) int {
	return 1 - count(task.joins(shown)) + count(left > 0 && task.tellsRest())
}

// joins reports whether a task shares its line with its child if so many children are shown.
func (task *liveTask) joins(shown int) bool {
	return shown == 1 && task.group && task.parent != nil && task.parent.parent != nil && !task.tellsRest() &&
		(task.state == trowel.TaskPlanned || task.state == trowel.TaskGroupError)
}

// tellsRest reports whether a task has a line about children that are left out.
func (task *liveTask) tellsRest() bool { return task.open() && len(task.inside.children) >= restFrom }

// enter resets what a task keeps from the last frame, and adds it to the open ones if its children may be shown.
func (l *layout) enter(task *liveTask) {
	task.frame = l.frame
	if task.inside == nil {
		return
	}
	task.inside.picked = task.inside.picked[:0]
	task.inside.shown = [kindCount]int{}
	if task.open() {
		l.open = append(l.open, task)
	}
}

// unsettled reports whether tasks of a kind are not done, or have failed.
func unsettled(kind liveKind) bool {
	return kind != kindDone && kind != kindCanceled
}

// unsettled returns how many children are not done, or have failed.
func (in *liveInside) unsettled() int {
	return in.kinds[kindWaiting] + in.kinds[kindRunning] + in.kinds[kindFailed] + in.kinds[kindFallen]
}

func (in *liveInside) leftOut() int {
	return in.unsettled() - in.shown[kindWaiting] - in.shown[kindRunning] - in.shown[kindFailed] - in.shown[kindFallen]
}

// appendLines appends the lines of the tasks that are shown below a task.
func appendLines(lines []liveLine, task *liveTask, depth int) []liveLine {
	in := task.inside
	slices.SortFunc(in.picked, func(a, b *liveTask) int { return cmp.Compare(a.place, b.place) })
	for _, child := range in.picked {
		above := child.parent
		for child.inside != nil && child.joins(len(child.inside.picked)) {
			child = child.inside.picked[0]
		}
		lines = append(lines, liveLine{depth: depth, task: child, name: child.path(above)})
		if child.inside != nil {
			lines = appendLines(lines, child, depth+1)
		}
	}
	if in.leftOut() > 0 && task.tellsRest() {
		lines = append(lines, liveLine{depth: depth, text: task.restText()})
	}
	return lines
}

// restText describes the unsettled children of a task that the frame leaves out.
func (task *liveTask) restText() string {
	in := task.inside
	left := func(kind liveKind) int { return in.kinds[kind] - in.shown[kind] }
	waits := "waiting"
	if task.state.Done() {
		waits = "not run"
	}
	return countList(
		counted{left(kindFailed) + left(kindFallen), "failed"}, counted{left(kindRunning), "running"},
		counted{left(kindWaiting), waits})
}

// counted is a number of things of a kind.
type counted struct {
	n    int
	what string
}

// countList lists the counts that are not zero.
func countList(counts ...counted) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	return strings.Join(parts, ", ")
}
