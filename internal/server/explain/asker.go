package explain

import (
	"errors"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// How much is read at most to answer why a task does not run.
const (
	siblingsAtOnce = 64   // upstreams that are read one by one; of more all siblings are read without their texts
	readyAtMost    = 5000 // ready tasks among which a position is told
	busyAtMost     = 1000 // running tasks among which holders of a limit are looked for
	activeAtMost   = 5    // attempts that are named
)

// asker finds out why tasks of one attempt do not run. It reads the tasks that are asked about, those above
// them and those that they wait for, not all of the attempt; an ended attempt's are read as a whole from its
// archive. It is for one transaction.
type asker struct {
	*rest.Call
	*explainer

	tx      trowel.Tx
	summary *trowel.AttemptSummary
	facts   *reason.Facts
	rows    map[trowel.TaskID]*trowel.Task // that were read
	ended   bool                           // the attempt has an archive, which is in rows
	listed  map[trowel.TaskID]bool         // tasks whose children were listed
	counted map[trowel.TaskID]bool         // and those whose children were counted
	limited bool                           // the workflow's own limits are in facts
	whole   bool                           // all tasks of the attempt are in facts
	offers  api.List[api.Offer]            // what can be done about all that was told
}

// newAsker finds the attempt of the path.
func newAsker(e *explainer, c *rest.Call, tx trowel.Tx) (*asker, error) {
	s, err := find.Attempt(c, tx)
	if err != nil {
		return nil, err
	}
	a := &asker{Call: c, explainer: e, tx: tx, summary: s, rows: map[trowel.TaskID]*trowel.Task{}, listed: map[trowel.TaskID]bool{}, counted: map[trowel.TaskID]bool{}}
	a.facts = &reason.Facts{
		Now: c.Now, Attempt: &s.Attempt, Project: s.Project.Name, Tree: reason.NewTree(),
		Workflow: trowel.WorkflowName{ProjectID: s.Project.ID, Name: s.Session.Workflow},
	}
	if s.Attempt.Flags&trowel.AttemptDone != 0 {
		return a, a.readArchive()
	}
	return a, a.admission()
}

func (a *asker) readArchive() error {
	tasks, err := a.tx.ListArchivedTasks(a.Ctx(), a.summary.Attempt.ID)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it ended before it had tasks
	}
	a.ended = true
	outlines := make([]trowel.TaskOutline, len(tasks))
	for i, t := range tasks {
		a.rows[t.ID] = t
		outlines[i] = t.Outline()
	}
	a.facts.Tree.Add(outlines...)
	return err
}

// task returns a task of the attempt; nil if it is not there.
func (a *asker) task(id trowel.TaskID) (*trowel.Task, error) {
	if t := a.rows[id]; t != nil || a.ended {
		return t, nil
	}
	err := a.read(id)
	return a.rows[id], err
}

// read reads those of some tasks into rows and tree that are not there yet.
func (a *asker) read(ids ...trowel.TaskID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id trowel.TaskID) bool { return id == 0 || a.rows[id] != nil })
	if a.ended || len(ids) == 0 {
		return nil
	}
	tasks, err := a.tx.FindTasks(a.Ctx(), a.summary.Attempt.ID, ids)
	for _, t := range tasks {
		a.rows[t.ID] = t
		a.facts.Tree.Add(t.Outline())
	}
	return err
}

// prepare reads what explains a task.
func (a *asker) prepare(t *trowel.Task) error {
	if err := a.readAbove(t); err != nil {
		return err
	}
	a.facts.LastTry = nil
	switch t.State {
	case trowel.TaskBlocked:
		return errors.Join(a.readUpstreams(t), a.readKiller(t))
	case trowel.TaskReady:
		return a.readMarket()
	case trowel.TaskRetryWaiting, trowel.TaskError:
		return a.readTry(t)
	case trowel.TaskRunning:
		return a.readAgents()
	case trowel.TaskPlanned, trowel.TaskGroupError:
		return a.readChildren(t)
	case trowel.TaskGroupRetryWaiting:
		return a.readOutlines(t.ID)
	case trowel.TaskSuccess, trowel.TaskCanceled, trowel.TaskSkipped, trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return nil
}

// readAbove reads the groups that a task is in.
func (a *asker) readAbove(t *trowel.Task) error {
	for id := t.ParentID; id != 0 && a.rows[id] == nil; id = a.rows[id].ParentID {
		if err := a.read(id); err != nil {
			return err
		}
		if a.rows[id] == nil {
			return nil
		}
	}
	return nil
}

// readUpstreams reads what a blocked task waits for, and what decides whether it, or a group that it is in,
// can run at all.
func (a *asker) readUpstreams(t *trowel.Task) error {
	for !a.whole && t != nil && t.State == trowel.TaskBlocked {
		if len(t.Upstreams) <= siblingsAtOnce {
			if err := a.read(t.Upstreams...); err != nil {
				return err
			}
		}
		if a.undecided(t) {
			if err := a.readOutlines(t.ParentID); err != nil {
				return err
			}
		}
		t = a.rows[t.ParentID]
	}
	return nil
}

// readOutlines reads all children of a task without their texts.
func (a *asker) readOutlines(parent trowel.TaskID) error {
	if a.ended || a.whole || parent == 0 || a.listed[parent] {
		return nil
	}
	a.listed[parent] = true
	outlines, err := a.tx.ListOutlines(a.Ctx(), a.summary.Attempt.ID, parent)
	a.facts.Tree.Add(outlines...)
	return err
}

// readChildren counts the children of a task and reads those of them that are told.
func (a *asker) readChildren(t *trowel.Task) error {
	if a.ended || a.whole || a.counted[t.ID] {
		return nil
	}
	a.counted[t.ID] = true
	counts, err := a.tx.CountChildren(a.Ctx(), a.summary.Attempt.ID, t.ID)
	if err != nil {
		return err
	}
	a.facts.Tree.Count(t.ID, counts)
	var first []trowel.TaskID
	for _, id := range []trowel.TaskID{a.facts.Tree.FirstOpen(t.ID), a.facts.Tree.FailedChild(t.ID)} {
		if id != 0 {
			first = append(first, id)
		}
	}
	return a.read(first...)
}

func (a *asker) readTry(t *trowel.Task) error {
	if t.Try == 0 {
		return nil
	}
	try, err := a.tx.FindTry(a.Ctx(), t.AttemptID, trowel.TryID{Task: t.ID, Number: t.Try})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	a.facts.LastTry = try
	return err
}

// readKiller finds who killed the attempt: the move that flagged a blocked task.
func (a *asker) readKiller(t *trowel.Task) error {
	if t.Flags&trowel.TaskCancelRequested == 0 || a.ended || a.facts.KilledBy != "" {
		return nil
	}
	entries, err := a.tx.ListAuditsAt(a.Ctx(), t.AttemptID, t.UpdatedAt)
	for _, e := range entries {
		if e.TaskID == t.ID && e.Cause == string(trowel.MoveCancel) {
			a.facts.KilledBy = e.Actor
		}
	}
	return err
}

// readControl reads the limits that the workflow sets for itself. What is wrong with them was told when it
// was pushed.
func (a *asker) readControl() error {
	if a.limited {
		return nil
	}
	a.limited = true
	keys, err := a.tx.FindWorkflowKeys(a.Ctx(), a.summary.Attempt.ID, dig.ControlKeys())
	if err != nil {
		return err
	}
	if control, err := dig.ControlOf(keys); err == nil {
		a.facts.Control = control
	}
	return nil
}

func (a *asker) readAgents() error {
	if a.facts.Market != nil {
		return nil
	}
	agents, err := a.tx.ListAgents(a.Ctx())
	a.facts.Market = &reason.Market{Agents: agents}
	return err
}

// readMarket reads what ready tasks compete for.
func (a *asker) readMarket() error {
	if a.facts.Market != nil && a.facts.Market.Busy != nil {
		return nil
	}
	if err := a.readControl(); err != nil {
		return err
	}
	m := &reason.Market{Rules: a.rules}
	m.Limits.Most = a.maxRunning
	var errs [6]error
	m.Limits.Pools, errs[0] = a.tx.ListPools(a.Ctx())
	m.Limits.Uses, errs[1] = a.tx.ListUses(a.Ctx())
	m.Agents, errs[2] = a.tx.ListAgents(a.Ctx())
	m.Busy, m.Running, errs[3] = a.tx.CountBusy(a.Ctx(), a.summary.Attempt.ID)
	m.Ready, errs[4] = a.tx.ListReady(a.Ctx(), readyAtMost)
	if len(m.Busy) > 0 {
		m.Holders, errs[5] = a.tx.ListBusy(a.Ctx(), busyAtMost)
	}
	a.hide(m.Ready)
	a.hide(m.Holders)
	a.facts.Market = m
	return errors.Join(errs[:]...)
}

// hide takes the names of tasks away that the caller may not see.
func (a *asker) hide(tasks []trowel.BusyTask) {
	for i := range tasks {
		if t := &tasks[i]; t.ProjectID != a.summary.Project.ID && a.May(t.ProjectID) != nil {
			t.FullName, t.Project, t.Workflow, t.Hidden = "a task of another project", "", "", true
		}
	}
}

// admission reads why the attempt has not begun, if it has not.
func (a *asker) admission() error {
	attempt := &a.summary.Attempt
	delayed, err := a.tx.FindDelayed(a.Ctx(), attempt.ID)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		delayed = nil
	case err != nil:
		return err
	}
	if attempt.WaitReason == "" && delayed == nil {
		return nil
	}
	if err := a.readControl(); err != nil {
		return err
	}
	found := &reason.Admission{}
	a.facts.Admission = found
	project, workflow := a.facts.Workflow.ProjectID, a.facts.Workflow.Name
	if delayed != nil {
		found.Delayed, found.NextRunAt = true, delayed.NextRunAt
		if delayed.DependsOn != 0 {
			found.Before, err = a.tx.FindSession(a.Ctx(), delayed.DependsOn)
			if err != nil && !errors.Is(err, trowel.ErrNotFound) {
				return err
			}
		}
		return nil
	}
	found.Pause, err = a.tx.FindPause(a.Ctx(), project, workflow)
	if err != nil && !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	if found.Active, err = a.tx.ListAdmitted(a.Ctx(), project, workflow, activeAtMost); err != nil {
		return err
	}
	if found.ActiveCount, err = a.tx.CountAdmitted(a.Ctx(), project, workflow); err != nil {
		return err
	}
	waiting, err := a.tx.ListWaiting(a.Ctx(), project, workflow, busyAtMost)
	found.Position = 1 + slices.Index(waiting, attempt.ID)
	return err
}
