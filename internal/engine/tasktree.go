package engine

import (
	"cmp"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// TaskTree is one attempt's task tree in memory, with counters instead of scans. It is a cache of the store's rows. It is
// not safe for concurrent use.
type TaskTree struct {
	Attempt trowel.Attempt

	tasks  map[trowel.TaskID]*task
	root   *task
	lastID trowel.TaskID
	ready  []readyEntry // ordered by their instants
	scopes *scopes

	running int                   // tasks in state RUNNING
	needs   map[*dig.Options]read // of options that many tasks share
	weights weights
	resumed map[string]*trowel.Task // tasks that count as done when they are inserted, by full name
}

// readyEntry is a task that became ready. It is stale once the task was claimed or canceled, even if the task became ready
// again later.
type readyEntry struct {
	t  *task
	at time.Time
}

func (r readyEntry) current() bool { return r.t.State == trowel.TaskReady && r.t.ReadyAt.Equal(r.at) }

// task is a row, with its place in the tree.
type task struct {
	trowel.Task

	parent     *task
	children   []*task    // of all rounds, ordered by id
	barrier    *barrier   // nil without upstreams
	successors []*barrier // barriers that wait for this task; twice if they list it twice

	running int // children of the present round that are progressing, or wait for an evaluation
	failed  int // children of the present round that failed
	stores  int // tasks of this subtree, this one included, whose results store or reset parameters

	inside *param.Map // cache of what children see first, see scopes
	walked bool       // results of its subtree are in the cache of a barrier

	ownOptions   *dig.Options // cache, see options
	optionsKnown bool
}

// barrier is a list of upstreams, with the tasks that wait for exactly these. The tasks of one chunk of a limited parallel
// group share it, so wide joins cost no more than their edges.
type barrier struct {
	upstreams []*task
	waiting   int // upstreams that have not succeeded, counted as often as they are listed
	waiters   []*task
	before    *param.Map // cache of what the tasks see first, see scopes
	walked    bool       // its upstream closure is marked as walked
}

// NewTaskTree builds the task tree of an attempt from all its rows, which may come in any order.
func NewTaskTree(attempt trowel.Attempt, setting *trowel.AttemptContext, rows []*trowel.Task) (*TaskTree, error) {
	s, err := newScopes(&attempt, setting)
	if err != nil {
		return nil, err
	}
	img := &TaskTree{Attempt: attempt, scopes: s}
	img.build(rows)
	return img, nil
}

func (img *TaskTree) build(rows []*trowel.Task) {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *trowel.Task) int { return cmp.Compare(a.ID, b.ID) })
	img.tasks = make(map[trowel.TaskID]*task, len(rows))
	img.root, img.ready, img.running = nil, nil, 0
	nodes := make([]task, len(rows)) // one allocation: an attempt may have 100,000 tasks
	added := make([]*task, len(rows))
	for i, row := range rows {
		nodes[i].Task = *row
		added[i] = &nodes[i]
	}
	img.attach(added)
	for _, t := range added {
		if t.State == trowel.TaskReady {
			img.ready = append(img.ready, readyEntry{t, t.ReadyAt})
		}
	}
	slices.SortStableFunc(img.ready, func(a, b readyEntry) int { return a.at.Compare(b.at) })
}

// attach adds tasks to the tree, in the order of their ids.
func (img *TaskTree) attach(added []*task) {
	for _, t := range added {
		img.tasks[t.ID] = t
		img.lastID = max(img.lastID, t.ID)
		if t.State == trowel.TaskRunning {
			img.running++
		}
		if t.ParentID == 0 {
			img.root = t
			continue
		}
		t.parent = img.tasks[t.ParentID]
		t.parent.children = append(t.parent.children, t)
	}
	barriers := map[*trowel.TaskID]*barrier{}
	for _, t := range added {
		img.join(t, barriers)
		t.count(1)
		if !t.Result.Empty() {
			t.addStores(t.storing())
		}
	}
}

// join links a task with its upstreams. Tasks whose lists of upstreams are the same slice share a barrier.
func (img *TaskTree) join(t *task, barriers map[*trowel.TaskID]*barrier) {
	if len(t.Upstreams) == 0 {
		return
	}
	g := barriers[&t.Upstreams[0]]
	if g == nil || len(g.upstreams) != len(t.Upstreams) {
		g = &barrier{upstreams: make([]*task, len(t.Upstreams))}
		for i, id := range t.Upstreams {
			up := img.tasks[id]
			g.upstreams[i] = up
			up.successors = append(up.successors, g)
			if up.State != trowel.TaskSuccess {
				g.waiting++
			}
		}
		barriers[&t.Upstreams[0]] = g
	}
	g.waiters = append(g.waiters, t)
	t.barrier = g
}

// everyRound is the ParentRound of tasks that count in all rounds of their parent: tasks of an SLA (language S45b).
const everyRound = -1

// present reports whether the task belongs to the present round of its parent.
func (t *task) present() bool { return t.parent == nil || presentIn(&t.Task, &t.parent.Task) }

func presentIn(t, parent *trowel.Task) bool {
	return t.ParentRound == parent.Round || t.ParentRound == everyRound
}

// count adds the task's state to its parent's counters, or subtracts it, by sign.
func (t *task) count(sign int) {
	if t.parent == nil || !t.present() {
		return
	}
	if t.State.Progressing() || t.evaluating() {
		t.parent.running += sign
	}
	if t.State.Failed() {
		t.parent.failed += sign
	}
}

func (t *task) storing() int {
	if len(t.Result.ResetKeys) > 0 || t.Result.Store.Len() > 0 {
		return 1
	}
	return 0
}

func (t *task) addStores(n int) {
	if n == 0 {
		return
	}
	for ; t != nil; t = t.parent {
		t.stores += n
	}
}

// mayRun reports whether the parent lets the task run: the parent is planned, or it succeeded and generated the task
// (language X2).
func (t *task) mayRun() bool {
	if !t.present() {
		return false
	}
	return t.parent == nil || t.parent.State == trowel.TaskPlanned || t.parent.State == trowel.TaskSuccess
}

func (t *task) open() bool { return t.barrier == nil || t.barrier.waiting == 0 }

// descendants yields all tasks below t in tree order: depth first, siblings by id.
func (t *task) descendants(yield func(*task) bool) bool {
	for _, c := range t.children {
		if !yield(c) || !c.descendants(yield) {
			return false
		}
	}
	return true
}

// Done reports whether the attempt has ended: its root is done, or it was killed before it had a root.
func (img *TaskTree) Done() bool {
	if img.root == nil {
		return img.Attempt.Flags&trowel.AttemptDone != 0
	}
	return img.root.State.Done()
}

// Context returns the attempt's project, revision, workflow and session. It must not be changed.
func (img *TaskTree) Context() *trowel.AttemptContext { return img.scopes.setting }

// Find returns the row of a task, or nil. It must not be changed.
func (img *TaskTree) Find(id trowel.TaskID) *trowel.Task {
	if t := img.tasks[id]; t != nil {
		return &t.Task
	}
	return nil
}

// List returns all rows in the order of their ids. They must not be changed.
func (img *TaskTree) List() []*trowel.Task {
	rows := make([]*trowel.Task, 0, len(img.tasks))
	for _, t := range img.tasks {
		rows = append(rows, &t.Task)
	}
	slices.SortFunc(rows, func(a, b *trowel.Task) int { return cmp.Compare(a.ID, b.ID) })
	return rows
}

// Len returns how many tasks the attempt has, those of earlier rounds included (language C38).
func (img *TaskTree) Len() int { return len(img.tasks) }

// Running returns how many tasks are RUNNING.
func (img *TaskTree) Running() int { return img.running }

// NextReady returns the ready task that has waited longest, without taking it.
func (img *TaskTree) NextReady() (trowel.TaskID, bool) {
	for len(img.ready) > 0 {
		if r := img.ready[0]; r.current() {
			return r.t.ID, true
		}
		img.ready[0] = readyEntry{}
		img.ready = img.ready[1:]
	}
	return 0, false
}

// tidyReady removes stale entries when there are many: behind a task that waits for long, others may become ready again
// and again.
func (img *TaskTree) tidyReady() {
	if len(img.ready) > 2*len(img.tasks)+16 {
		img.ready = slices.DeleteFunc(img.ready, func(r readyEntry) bool { return !r.current() })
	}
}
