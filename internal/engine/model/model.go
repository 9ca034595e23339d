package model

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Task is one task of the attempt. Its id is its place in Model.Tasks, from 1 on.
type Task struct {
	ID        trowel.TaskID
	Parent    trowel.TaskID // zero for the root
	Name      string        // full name
	Group     bool
	Local     *param.Map
	Export    *param.Map
	Upstreams []trowel.TaskID

	State       trowel.TaskState
	Flags       trowel.TaskFlags
	Try         int
	RetryCount  int
	RetryAt     time.Time
	StateParams *param.Map
	Result      trowel.Result
	Error       *param.Map

	// Forgotten marks what an operator generated in a run before its last one (X14).
	Forgotten bool
	// Waits marks a blocked task whose options are being evaluated (K109).
	Waits  bool
	Needs  *trowel.Requirements
	Holds  trowel.Acquired
	Losses int
	// Resuming is the task of an earlier attempt whose success this one is (X67).
	Resuming trowel.TaskID
}

// Model is an attempt.
type Model struct {
	Tasks []*Task
	Flags trowel.AttemptFlags
	Wait  trowel.WaitCode // why the attempt may not begin yet (K813, K816)

	limit   int
	now     time.Time
	resumed []*Task
}

// Start begins an attempt (X7), unless it has to wait. resumed are tasks of another that count as done.
func Start(tasks []dig.Task, resumed []*Task, limit int, wait trowel.WaitCode, now time.Time) *Model {
	m := &Model{limit: limit, now: now, resumed: resumed, Wait: wait}
	m.insert(tasks, 0, nil, trowel.TaskInitial)
	m.keepGenerated()
	if wait == "" {
		m.begin()
	}
	return m
}

func (m *Model) begin() {
	root := m.Tasks[0]
	root.State = trowel.TaskPlanned
	if !root.Group {
		m.ready(root)
	}
	m.rounds()
}

// Task returns a task by its id, or nil.
func (m *Model) Task(id trowel.TaskID) *Task {
	if id < 1 || int(id) > len(m.Tasks) {
		return nil
	}
	return m.Tasks[id-1]
}

// Claim makes a ready operator task run (3.4).
func (m *Model) Claim(id trowel.TaskID, holds trowel.Acquired, now time.Time) {
	m.now = now
	t := m.Task(id)
	if t == nil || t.State != trowel.TaskReady || m.Tasks[0].State.Done() {
		return
	}
	t.State = trowel.TaskRunning
	t.Try++
	t.Holds = holds
	m.rounds()
}

// Due wakes a waiting task whose time has come (X8.2).
func (m *Model) Due(id trowel.TaskID, now time.Time) {
	m.now = now
	t := m.Task(id)
	if t == nil || (t.State != trowel.TaskRetryWaiting && t.State != trowel.TaskGroupRetryWaiting) || t.RetryAt.After(now) {
		return
	}
	if m.Tasks[0].State.Done() {
		return
	}
	if t.State == trowel.TaskRetryWaiting || t.Group {
		t.State = trowel.TaskReady
	} else {
		m.ready(t)
	}
	m.rounds()
}

// Kill flags every task that is not done (X46); what waits is canceled at once.
func (m *Model) Kill(now time.Time) {
	m.now = now
	if m.Tasks[0].State.Done() {
		return
	}
	flagged := false
	for _, t := range m.Tasks {
		if t.State.Done() {
			continue
		}
		flagged = true
		again := t.Flags&trowel.TaskCancelRequested != 0
		t.Flags |= trowel.TaskCancelRequested
		if t.Flags&trowel.TaskHasJob != 0 {
			if again {
				continue
			}
			t.Losses = 0
			if t.State != trowel.TaskRunning {
				t.State = trowel.TaskReady
			}
			continue
		}
		if t.Waits || m.Wait != "" && t.Parent == 0 || t.State == trowel.TaskReady || t.State == trowel.TaskRetryWaiting || t.State == trowel.TaskGroupRetryWaiting {
			t.State, t.Waits = trowel.TaskCanceled, false
		}
	}
	if flagged {
		m.Flags |= trowel.AttemptCancelRequested
	}
	m.rounds()
	m.Wait = "" // not before, as it has never begun
}

// Report takes the end of a try (3.4, X11).
func (m *Model) Report(r trowel.Report, now time.Time) {
	m.now = now
	t := m.Task(r.TaskID)
	if t == nil || t.State != trowel.TaskRunning || t.Try != r.Try || m.Tasks[0].State.Done() { // X54
		return
	}
	killed := t.Flags&trowel.TaskCancelRequested != 0
	if r.Outcome != trowel.OutcomeReleased {
		t.Flags &^= trowel.TaskHasJob
		if r.Job && (killed || r.Outcome != trowel.OutcomeFailure) {
			t.Flags |= trowel.TaskHasJob
		}
	}
	if killed && t.Flags&trowel.TaskHasJob != 0 && r.Outcome != trowel.OutcomeFailure {
		if r.Outcome != trowel.OutcomeReleased {
			t.StateParams = r.StateParams
		}
		m.cancelAgain(t)
		m.rounds()
		return
	}
	t.Losses = 0
	switch {
	case killed:
		t.State = trowel.TaskCanceled
	case r.Outcome == trowel.OutcomeReleased:
		t.State = trowel.TaskReady
	case r.Outcome == trowel.OutcomeSuccess:
		m.succeed(t, r.Result)
	case r.Outcome == trowel.OutcomeFailure:
		m.fail(t, r.Error)
	default:
		t.State = trowel.TaskRetryWaiting
		t.RetryAt = now.Add(r.RetryIn)
		t.RetryCount++
		t.StateParams = r.StateParams
	}
	m.rounds()
}

// Release takes a try from an agent that is gone (X59a). What was lost poison times in a row fails.
func (m *Model) Release(id trowel.TaskID, try int, lost bool, poison int, now time.Time) {
	m.now = now
	t := m.Task(id)
	if t == nil || t.State != trowel.TaskRunning || t.Try != try || m.Tasks[0].State.Done() {
		return
	}
	if lost && t.Flags&trowel.TaskCancelRequested == 0 {
		t.Losses++
	}
	switch {
	case t.Flags&trowel.TaskCancelRequested != 0 && t.Flags&trowel.TaskHasJob != 0:
		m.cancelAgain(t)
	case t.Flags&trowel.TaskCancelRequested != 0:
		t.State = trowel.TaskCanceled
	case lost && poison > 0 && t.Losses >= poison:
		t.Flags &^= trowel.TaskHasJob
		m.fail(t, trowel.ErrorObject(fmt.Sprintf("The task is set aside: %d agents in a row were lost while they ran it, "+
			"the last one was agent (agent.poison_limit: %d)", t.Losses, poison), "lost"))
	default:
		t.State = trowel.TaskReady
	}
	m.rounds()
}

// cancelAgain has the job of a killed task canceled by one more try, of which there are five (1.14 of operators.md).
func (m *Model) cancelAgain(t *Task) {
	if t.Losses++; t.Losses < 5 {
		t.State = trowel.TaskReady
	} else {
		t.State = trowel.TaskCanceled
	}
}

// children lists the direct children of a task in the order of their ids.
func (m *Model) children(of *Task) []*Task {
	var list []*Task
	for _, t := range m.Tasks {
		if t.Parent == of.ID {
			list = append(list, t)
		}
	}
	return list
}

// descendants lists all tasks below a task in tree order.
func (m *Model) descendants(of *Task) []*Task {
	var list []*Task
	for _, c := range m.children(of) {
		list = append(list, c)
		list = append(list, m.descendants(c)...)
	}
	return list
}
