package queue

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Backlog is the ready tasks that a server knows, and the running ones, for the fair share between workflows. Tasks with
// equal requirements share a lane, oldest first: if the head of a lane cannot run, nothing behind it can. The zero value
// is not ready for use; see NewBacklog. It is not safe for concurrent use.
type Backlog struct {
	rules   Rules
	lanes   []*lane // those that have entries
	byKey   map[laneKey]*lane
	byTry   map[trowel.AttemptID]attemptItems
	count   int
	running map[trowel.AttemptID]*runs
	shares  map[trowel.WorkflowName]int // how many tasks of each workflow run
	busyAt  time.Time                   // when Pick last found no free slot
	// reserved are the pools that tasks reserved in the last Pick. inherited are those of the backlog that this one was
	// made from, see Among.
	reserved, inherited map[string]reservation
}

// runs are the running tasks of an attempt.
type runs struct {
	workflow trowel.WorkflowName
	tasks    map[trowel.TaskID]struct{}
}

// Rules say how waiting counts. Zero lengths turn a rule off.
type Rules struct {
	Aging        time.Duration // each such length of waiting adds 1 to the weight (control K807)
	ReserveAfter time.Duration // a task that needs several slots of a pool reserves them after waiting this long (control K808)
}

// NewBacklog returns an empty backlog.
func NewBacklog(rules Rules) *Backlog {
	return &Backlog{
		rules: rules, byKey: map[laneKey]*lane{}, byTry: map[trowel.AttemptID]attemptItems{},
		running: map[trowel.AttemptID]*runs{}, shares: map[trowel.WorkflowName]int{},
	}
}

// Add puts a ready task in; one that is there already is replaced.
func (b *Backlog) Add(r Ready) {
	items := b.byTry[r.Attempt]
	if items == nil {
		items = attemptItems{}
		b.byTry[r.Attempt] = items
	}
	if old := items[r.Task]; old != nil {
		b.take(old)
	}
	key := r.lane()
	l := b.byKey[key]
	if l == nil {
		l = &lane{key: key, place: len(b.lanes)}
		b.byKey[key] = l
		b.lanes = append(b.lanes, l)
	}
	e := &entry{Ready: r}
	l.add(e)
	items[r.Task] = e
	b.count++
}

// Remove takes a task out, if it is there.
func (b *Backlog) Remove(attempt trowel.AttemptID, task trowel.TaskID) {
	items := b.byTry[attempt]
	e := items[task]
	if e == nil {
		return
	}
	b.take(e)
	delete(items, task)
	if len(items) == 0 {
		delete(b.byTry, attempt)
	}
}

// Drop takes all tasks of an attempt out.
func (b *Backlog) Drop(attempt trowel.AttemptID) {
	for _, e := range b.byTry[attempt] {
		b.take(e)
	}
	delete(b.byTry, attempt)
}

// take removes an entry from its lane.
func (b *Backlog) take(e *entry) {
	l := e.lane
	l.remove(e)
	b.count--
	if l.count > 0 {
		return
	}
	last := b.lanes[len(b.lanes)-1]
	b.lanes[l.place], last.place = last, l.place
	b.lanes[len(b.lanes)-1] = nil
	b.lanes = b.lanes[:len(b.lanes)-1]
	delete(b.byKey, l.key)
}

// Len returns how many tasks are in the backlog.
func (b *Backlog) Len() int { return b.count }

// Has reports whether a task of the attempt is in the backlog.
func (b *Backlog) Has(attempt trowel.AttemptID) bool { return len(b.byTry[attempt]) > 0 }

// Started notes that a task runs.
func (b *Backlog) Started(attempt trowel.AttemptID, task trowel.TaskID, workflow trowel.WorkflowName) {
	r := b.running[attempt]
	if r == nil {
		r = &runs{workflow, map[trowel.TaskID]struct{}{}}
		b.running[attempt] = r
	}
	if _, known := r.tasks[task]; !known {
		r.tasks[task] = struct{}{}
		b.shares[workflow]++
	}
}

// Stopped notes that a task no longer runs.
func (b *Backlog) Stopped(attempt trowel.AttemptID, task trowel.TaskID) {
	r := b.running[attempt]
	if r == nil {
		return
	}
	if _, known := r.tasks[task]; !known {
		return
	}
	delete(r.tasks, task)
	b.giveShares(r, 1)
	if len(r.tasks) == 0 {
		delete(b.running, attempt)
	}
}

// Runs reports whether a task of the attempt is known to run.
func (b *Backlog) Runs(attempt trowel.AttemptID) bool { return b.running[attempt] != nil }

// End takes all tasks of an attempt out, and notes that none of them runs.
func (b *Backlog) End(attempt trowel.AttemptID) {
	b.Drop(attempt)
	if r := b.running[attempt]; r != nil {
		b.giveShares(r, len(r.tasks))
		delete(b.running, attempt)
	}
}

func (b *Backlog) giveShares(r *runs, n int) {
	if b.shares[r.workflow] -= n; b.shares[r.workflow] == 0 {
		delete(b.shares, r.workflow)
	}
}

// Subset returns a backlog of only these tasks, with the shares of this one. Pools that tasks of this backlog reserve are
// reserved in it too.
func (b *Backlog) Subset(list []Ready) *Backlog {
	some := NewBacklog(b.rules)
	some.shares = b.shares
	if b.count > 0 {
		some.inherited = b.reserved
	}
	for _, r := range list {
		some.Add(r)
	}
	return some
}
