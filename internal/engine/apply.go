package engine

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Event is a cause of changes: Begin, Admit, Evaluated, Claim, Full, Report, Release, Due, SLA or Kill.
type Event interface{ apply(*applying) }

// IDs hands out task ids.
type IDs interface {
	// Next returns an id that is larger than after and was never returned before.
	Next(after trowel.TaskID) trowel.TaskID
}

// Limits are limits of one attempt.
type Limits struct {
	Tasks int // tasks ever inserted (language C36)
}

// Change is one move of a task, or a new task.
type Change struct {
	// Task is the live row. Later changes in the same transaction change it further, so take the state after this change
	// from To.
	Task       *trowel.Task
	Transition trowel.Transition
	From       trowel.TaskState // meaningless if the task is new
	To         trowel.TaskState
	New        bool
	// Detail reports whether state parameters, retry, result, error, needs, holds or losses changed too.
	Detail bool
	// Freed reports whether the task is no longer RUNNING. Given is what it gave back to limits, by counter; if Freed,
	// nil means one slot of trowel.DefaultPool. A task may give something back without being freed: its place under a
	// concurrency limit, which it keeps until it is done.
	Freed bool
	Given trowel.Acquired
}

// Applied is the result of an event.
type Applied struct {
	Changes  []Change
	Tries    []trowel.Try // executions that ended
	Warnings []string     // for the log: what was left out, and why
	Ended    bool         // the root is done, so Attempt has its final flags
	// Evaluations must be done once the changes are stored, see Evaluation.
	Evaluations []Evaluation
}

// Apply applies an event to the task tree and returns what changed. An event that no longer fits changes nothing: a report
// of an earlier try, a claim of a task that is not ready, a kill of an ended attempt. So every event may come late or
// twice. An attempt that has ended never changes.
func (img *TaskTree) Apply(ev Event, at time.Time, ids IDs, limits Limits) Applied {
	a := &applying{img: img, at: at, ids: ids, limits: limits}
	if img.Done() {
		return a.out // results of tasks that still run below a done root are dropped (language X54)
	}
	ev.apply(a)
	a.propagate()
	for _, t := range a.evaluating {
		if t.evaluating() {
			a.out.Evaluations = append(a.out.Evaluations, a.img.evaluation(t))
		}
	}
	return a.out
}

// applying is one run of Apply.
type applying struct {
	img    *TaskTree
	at     time.Time
	ids    IDs
	limits Limits
	out    Applied

	pending []occurrence
	checks  []*task // planned tasks that may be done now

	evaluating []*task // tasks whose options must be evaluated
}

// occurrence is something after which other tasks may run.
type occurrence struct {
	t    *task
	what cause
}

type cause uint8

const (
	opened cause = iota // the task's children may run now
	ended               // the task is done
)

// then queues the consequences of a change. A queue instead of recursion keeps the stack flat, however long a chain of
// empty groups is.
func (a *applying) then(t *task, what cause) { a.pending = append(a.pending, occurrence{t, what}) }

func (a *applying) check(t *task) { a.checks = append(a.checks, t) }

// propagate applies the consequences. A planned task ends only after everything below it that may run is running (language
// X12), so all that happened is handled before the next check.
func (a *applying) propagate() {
	for {
		for i := 0; i < len(a.pending); i++ { //nolint:intrange // the loop appends
			a.follow(a.pending[i])
		}
		a.pending = a.pending[:0]
		if len(a.checks) == 0 {
			return
		}
		t := a.checks[0]
		a.checks = a.checks[1:]
		a.finish(t)
	}
}

func (a *applying) follow(h occurrence) {
	switch h.what {
	case opened:
		a.openChildren(h.t)
		a.check(h.t)
	case ended:
		a.openDownstream(h.t)
		if h.t.parent == nil {
			a.end()
			return
		}
		a.check(h.t.parent)
	}
}

// move changes a task's state, keeps the counters right and records the change.
func (a *applying) move(t *task, m trowel.Transition, to trowel.TaskState, detail bool) {
	c := Change{Task: &t.Task, Transition: m, From: t.State, To: to, Detail: detail}
	t.count(-1)
	if t.evaluating() {
		t.WaitReason, c.Detail = "", true
	}
	if m == trowel.TransitionEvaluate {
		t.WaitReason = trowel.WaitEvaluating
	}
	a.free(t, &c)
	t.State = to
	t.UpdatedAt = a.at
	t.count(1)
	a.out.Changes = append(a.out.Changes, c)
	if to == trowel.TaskReady {
		t.ReadyAt = a.at
		a.img.tidyReady()
		a.img.ready = append(a.img.ready, readyEntry{t, a.at})
	}
	if to.Done() && !c.From.Done() {
		a.then(t, ended)
	}
}

// free gives back what a task does not hold in its new state.
func (a *applying) free(t *task, c *Change) {
	if c.To == trowel.TaskRunning && c.From != trowel.TaskRunning {
		a.img.running++
	}
	if c.From == trowel.TaskRunning && c.To != trowel.TaskRunning {
		a.img.running--
		c.Freed = true
	}
	if t.Acquired == nil {
		return
	}
	kept, given := t.holding(c.To)
	if len(given) > 0 || c.Freed {
		t.Acquired, c.Given, c.Detail = kept, given, true
	}
}

// end sets the attempt's flags once the root is done (language X53).
func (a *applying) end() {
	attempt := &a.img.Attempt
	if attempt.Flags&trowel.AttemptDone != 0 {
		return
	}
	attempt.Flags |= trowel.AttemptDone
	if a.img.root != nil && a.img.root.State == trowel.TaskSuccess {
		attempt.Flags |= trowel.AttemptSuccess
	}
	attempt.FinishedAt = a.at
	a.out.Ended = true
}
