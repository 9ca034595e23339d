package engine

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Event is a cause of changes: one of Claim, Report, Due, Kill.
type Event interface{ apply(*applying) }

// IDs hands out task ids.
type IDs interface {
	// Next returns an id that is larger than after and was never handed out.
	Next(after trowel.TaskID) trowel.TaskID
}

// Limits bound an attempt.
type Limits struct {
	Tasks int // tasks ever inserted (language C36)
}

// Change is one move of one task, or a new task.
type Change struct {
	// Task is the live row; later changes in the same transaction move it on, so take the state
	// after this change from To.
	Task *trowel.Task
	Move trowel.Move
	From trowel.TaskState // meaningless if the task is new
	To   trowel.TaskState
	New  bool
	// Detail tells that state parameters, retry, result or error changed too.
	Detail bool
}

// Applied is what an event led to.
type Applied struct {
	Changes  []Change
	Tries    []trowel.Try // executions that ended
	Warnings []string     // for the log: what was left out and why
	Ended    bool         // the root is done now: Attempt has its final flags
}

// Apply applies an event to the image and returns what changed. An event that no longer fits (a
// report of a try that is over, a claim of a task that is not ready, a kill of what is done)
// changes nothing, so every event may come twice or late.
func (img *Image) Apply(ev Event, at time.Time, ids IDs, limits Limits) Applied {
	a := &applying{img: img, at: at, ids: ids, limits: limits}
	ev.apply(a)
	a.settle()
	return a.out
}

// applying is one run of Apply.
type applying struct {
	img    *Image
	at     time.Time
	ids    IDs
	limits Limits
	out    Applied
	queue  []consequence
}

// consequence is a task to look at because of what happened to it or below it.
type consequence struct {
	t    *task
	what happening
}

type happening uint8

const (
	opened  happening = iota // the task's children may run now
	ended                    // the task is done
	checked                  // perhaps the task can finish
)

// then queues a consequence. A queue instead of recursion keeps the stack flat however long the
// chain of empty groups is.
func (a *applying) then(t *task, what happening) {
	a.queue = append(a.queue, consequence{t, what})
}

func (a *applying) settle() {
	for i := 0; i < len(a.queue); i++ {
		c := a.queue[i]
		switch c.what {
		case opened:
			a.openChildren(c.t)
			a.finish(c.t)
		case ended:
			a.openDownstream(c.t)
			if c.t.parent == nil {
				a.end()
				continue
			}
			a.finish(c.t.parent)
		case checked:
			a.finish(c.t)
		}
	}
	a.queue = nil
}

// move changes a task's state, keeps the counters right and records the change.
func (a *applying) move(t *task, m trowel.Move, to trowel.TaskState, detail bool) {
	from := t.State
	t.count(-1)
	t.State = to
	t.UpdatedAt = a.at
	t.count(1)
	a.out.Changes = append(a.out.Changes, Change{Task: &t.Task, Move: m, From: from, To: to, Detail: detail})
	if to == trowel.TaskReady {
		t.ReadyAt = a.at
		a.img.ready = append(a.img.ready, t)
	}
	if to.Done() && !from.Done() {
		a.then(t, ended)
	}
}

// end sets the attempt's flags when the root is done (language X53).
func (a *applying) end() {
	attempt := &a.img.Attempt
	if attempt.Flags&trowel.AttemptDone != 0 {
		return
	}
	attempt.Flags |= trowel.AttemptDone
	if a.img.root.State == trowel.TaskSuccess {
		attempt.Flags |= trowel.AttemptSuccess
	}
	attempt.FinishedAt = a.at
	a.out.Ended = true
}
