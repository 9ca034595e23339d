package live

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/runview"
)

// liveTree is what the live display knows about the tasks of a run. The cost of a change depends on the depth of the task,
// that of a frame on what it shows, and neither on the number of tasks. Tasks that ended are
// dropped with their group.
//
// The group ^sub, which holds the tasks that an operator generated, is not in the tree: its children belong to
// the task of the operator.
type liveTree struct {
	begun  time.Time
	tasks  map[trowel.TaskID]*liveTask // tasks that are not done
	top    liveTask                    // above the roots of all attempts
	active taskList                    // tasks that run or wait by themselves, in the order in which they began to
	failed taskList                    // tasks that failed in their own operator
	frame  int                         // number of the last frame that was laid out
	title  string                      // precedes the names of the roots; may be empty
	whole  bool                        // instants come from a server, many in whole seconds
	// stopping is shown beside the roots once they were asked to stop; empty before.
	stopping string
}

// liveTask is one task of the tree. Its instants count from the beginning of the run.
type liveTask struct {
	id      trowel.TaskID
	parent  *liveTask
	place   int    // index among the children of parent
	full    string // full name
	name    string // what full adds to the name of the parent
	shown   loopname.Part
	group   bool // it does not count as a task
	state   trowel.TaskState
	begun   bool          // it no longer waits for others
	started time.Duration // when it began
	ended   time.Duration // when it was done
	try     *liveTry      // from the first claim, retry or failure on
	inside  *liveInside   // nil without children
	hoisted bool          // a group ^sub: it is not in the tree, and parent has its children

	in            *taskList
	before, after *liveTask // neighbours in that list

	frame int // the last frame that shows it
}

// liveTry is what is known about a task that has been claimed.
type liveTry struct {
	number  int           // number of the try
	retries int           // how many retries were asked for so far
	due     time.Duration // when the waiting task goes on
	poll    bool          // it waits for a poll, not after a failure
	message string        // why it failed
	failing bool          // it failed, but what follows from that still runs
	output  *liveOutput   // output of the running try; nil if it has none
}

// liveInside is what is known about the children of a task.
type liveInside struct {
	children []*liveTask
	waiting  int            // no child before this index waits for others
	kinds    [kindCount]int // how many children are of each kind
	below    [kindCount]int // how many operator tasks at any depth are of each kind
	sub      *liveTask      // the hoisted group ^sub
	picked   []*liveTask    // children that the frame shows
	shown    [kindCount]int // how many of these are of each kind
}

// dryRunTitle is the title of a run in which no operator runs.
const dryRunTitle = "dry run: "

// failureAlert is a task that no file has, so it does not count (language X21).
const failureAlert = "^failure-alert"

// liveKind is how a task is shown.
type liveKind uint8

const (
	kindWaiting liveKind = iota // for other tasks, or for an agent
	kindRunning
	kindDone
	kindFailed // in its own operator
	kindFallen // because of its children
	kindCanceled
	kindCount
)

func kindOf(state trowel.TaskState) liveKind {
	switch state {
	case trowel.TaskBlocked, trowel.TaskReady:
		return kindWaiting
	case trowel.TaskRunning, trowel.TaskPlanned, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting,
		trowel.TaskDeferred, trowel.TaskAwaitingInput:
		return kindRunning
	case trowel.TaskSuccess, trowel.TaskSkipped:
		return kindDone
	case trowel.TaskError:
		return kindFailed
	case trowel.TaskGroupError:
		return kindFallen
	case trowel.TaskCanceled:
		return kindCanceled
	}
	return kindWaiting
}

func newLiveTree(begun time.Time) *liveTree {
	return &liveTree{
		begun: begun,
		tasks: map[trowel.TaskID]*liveTask{},
		top:   liveTask{state: trowel.TaskPlanned, inside: &liveInside{}},
	}
}

// apply applies a change that was committed at an instant.
func (t *liveTree) apply(c *engine.Change, when time.Time) {
	at := when.Sub(t.begun)
	if c.New {
		t.insert(c)
		return
	}
	task := t.tasks[c.Task.ID]
	if task == nil {
		return
	}
	if c.Transition == trowel.TransitionDue && c.From == trowel.TaskGroupRetryWaiting {
		t.dropRound(task)
	}
	if c.To == c.From && c.Transition == trowel.TransitionCancel {
		t.stopping = "stopping" // the state of the task shows once it has stopped
		return
	}
	task.note(c, at, c.Task.RetryAt.Sub(t.begun))
	t.move(task, c.To, at)
	if c.To.Done() {
		delete(t.tasks, c.Task.ID)
	}
}

func (t *liveTree) insert(c *engine.Change) {
	row := c.Task
	parent := &t.top
	if row.ParentID != 0 {
		parent = t.tasks[row.ParentID]
	}
	if parent == nil {
		return
	}
	task := &liveTask{id: row.ID, full: row.FullName, name: row.FullName[len(parent.full):], state: c.To}
	task.group = row.Group || task.name == failureAlert
	t.tasks[row.ID] = task
	if parent.hoisted {
		parent = parent.parent
	}
	task.parent = parent
	if parent.inside == nil {
		parent.inside = &liveInside{}
	}
	in := parent.inside
	if task.group && task.name == "^sub" {
		task.hoisted, in.sub = true, task
		return
	}
	task.shown = loopname.PartOf(task.name, row.Export)
	task.place = len(in.children)
	in.children = append(in.children, task)
	task.count(kindOf(task.state), 1)
}

// count adds the task to the counters above it, or removes it.
func (task *liveTask) count(kind liveKind, sign int) {
	task.parent.inside.kinds[kind] += sign
	if task.group {
		return
	}
	for a := task.parent; a != nil; a = a.parent {
		a.inside.below[kind] += sign
	}
}

// note keeps what the row has besides its state. due is when a waiting task goes on.
func (task *liveTask) note(c *engine.Change, at, due time.Duration) {
	if !task.begun && kindOf(c.To) != kindWaiting {
		task.begun, task.started = true, at
	}
	row := c.Task
	switch c.To {
	case trowel.TaskRunning:
		task.trying().number = row.Try
	case trowel.TaskRetryWaiting:
		try := task.trying()
		try.due, try.poll = due, row.WaitReason == trowel.WaitPoll
		if !try.poll {
			try.retries++
		}
	case trowel.TaskGroupRetryWaiting:
		try := task.trying()
		try.due, try.poll, try.retries = due, false, row.Round+1
	case trowel.TaskPlanned, trowel.TaskError:
		if c.Transition == trowel.TransitionFailureTasks || c.Transition == trowel.TransitionError {
			task.trying().failing = true
			task.try.message = runview.ErrorMessage(row)
		}
	case trowel.TaskBlocked, trowel.TaskReady, trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskCanceled,
		trowel.TaskSkipped, trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
}

func (task *liveTask) trying() *liveTry {
	if task.try == nil {
		task.try = &liveTry{}
	}
	return task.try
}

// move puts a task into its new state.
func (t *liveTree) move(task *liveTask, to trowel.TaskState, at time.Duration) {
	from := kindOf(task.state)
	task.state = to
	kind := kindOf(to)
	if to.Done() {
		task.ended = at
		if task.try != nil {
			task.try.output = nil
		}
	}
	if task.hoisted {
		return
	}
	task.count(from, -1)
	task.count(kind, 1)
	switch {
	case kind == kindFailed:
		t.failed.take(task)
	case kind == kindRunning && to != trowel.TaskPlanned:
		t.active.take(task)
	case task.in != nil:
		task.in.remove(task)
	}
	switch in := task.parent.inside; kind {
	case kindWaiting:
		in.waiting = min(in.waiting, task.place)
	case kindDone:
		if task.parent != &t.top { // the summary shows what is below a root
			task.forget()
		}
	case kindRunning, kindFailed, kindFallen, kindCanceled, kindCount:
	}
}

// forget drops what is not shown of a task that succeeded: its try, and the tasks below it. The counters stay.
func (task *liveTask) forget() {
	task.try = nil
	if task.inside != nil {
		task.inside.children, task.inside.picked, task.inside.sub = nil, nil, nil
	}
}

// dropRound removes the tasks of the last round of a group from the tree: the next round has
// copies of them, or generates its own.
func (t *liveTree) dropRound(task *liveTask) {
	if task.hoisted {
		task = task.parent
	}
	in := task.inside
	if in == nil {
		return
	}
	for _, child := range in.children {
		t.dropChild(child)
	}
	for a := task.parent; a != nil; a = a.parent {
		for kind, n := range in.below {
			a.inside.below[kind] -= n
		}
	}
	*in = liveInside{sub: in.sub}
}

func (t *liveTree) dropChild(task *liveTask) {
	delete(t.tasks, task.id)
	if task.in != nil {
		task.in.remove(task)
	}
	if task.inside == nil {
		return
	}
	if sub := task.inside.sub; sub != nil {
		delete(t.tasks, sub.id)
	}
	for _, child := range task.inside.children {
		t.dropChild(child)
	}
}

// open reports whether frames show what is below a task: they do while it runs, and if it has failed.
func (task *liveTask) open() bool {
	if task.inside == nil {
		return false
	}
	kind := kindOf(task.state)
	return kind == kindRunning || kind == kindFailed || kind == kindFallen
}

// taskList is a list of tasks in the order in which they were added. A task is in at most one list.
type taskList struct{ first, last *liveTask }

// take adds a task at the end, unless it is in the list.
func (l *taskList) take(task *liveTask) {
	if task.in == l {
		return
	}
	if task.in != nil {
		task.in.remove(task)
	}
	task.in, task.before, task.after = l, l.last, nil
	if l.last == nil {
		l.first = task
	} else {
		l.last.after = task
	}
	l.last = task
}

func (l *taskList) remove(task *liveTask) {
	if task.before == nil {
		l.first = task.after
	} else {
		task.before.after = task.after
	}
	if task.after == nil {
		l.last = task.before
	} else {
		task.after.before = task.before
	}
	task.in, task.before, task.after = nil, nil, nil
}

// path returns the names from a child of another task down to a task.
func (task *liveTask) path(below *liveTask) []loopname.Part {
	var parts []loopname.Part
	for ; task != nil && task != below; task = task.parent {
		parts = append([]loopname.Part{task.shown}, parts...)
	}
	return parts
}
