package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// outlinesOf returns what ListOutlines returns for tasks.
func outlinesOf(rows ...*trowel.Task) []trowel.TaskOutline {
	list := make([]trowel.TaskOutline, len(rows))
	for i, row := range rows {
		list[i] = row.Outline()
	}
	return list
}

// Tasks are found by id, by the end of their name, or below their parent, always within their attempt
// (control K818).
func testFoundTasks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	root, one, two, deep := newTask(a, 10), newTask(a, 11), fullTask(a, 12), newTask(a, 13)
	theirs := newTask(other, 14)
	root.FullName, one.FullName, two.FullName, deep.FullName, theirs.FullName = "+w", "+w+load", "+w+x", "+w+x+load", "+w+load"
	one.ParentID, two.ParentID, deep.ParentID, theirs.ParentID = 10, 10, 12, 10
	insertTasks(t, db, root, one, two, deep, theirs)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		found, err := tx.FindTasks(ctx, a.ID, []trowel.TaskID{12, 14, 10, 12, 99})
		equal(t, "FindTasks", found, []*trowel.Task{root, two})
		none, errNone := tx.FindTasks(ctx, a.ID, nil)
		equal(t, "number of tasks found by no ids", len(none), 0)
		many := make([]trowel.TaskID, 300)
		for i := range many {
			many[i] = trowel.TaskID(i)
		}
		all, errAll := tx.FindTasks(ctx, a.ID, many)
		equal(t, "number of tasks found by many ids", len(all), 4)
		first, errFirst := tx.FindFirstTask(ctx, a.ID)
		equal(t, "FindFirstTask", first, trowel.TaskID(10))
		nobody, errNobody := tx.FindFirstTask(ctx, 999)
		equal(t, "FindFirstTask of an unknown attempt", nobody, trowel.TaskID(0))
		return errors.Join(err, errNone, errAll, errFirst, errNobody)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		var errs []error
		for name, want := range map[string][]trowel.TaskID{
			"+load": {11, 13}, "+x+load": {13}, "+w+load": {11}, "+a long name that no task has": nil, "+l\x00ad": nil, "": {10, 11},
		} {
			limit := 10
			if name == "" {
				limit = 2
			}
			ids, err := tx.FindTasksNamed(ctx, a.ID, name, limit)
			equal(t, "FindTasksNamed "+name, ids, want)
			errs = append(errs, err)
		}
		every, err := tx.ListOutlines(ctx, a.ID, 0)
		equal(t, "ListOutlines", every, outlinesOf(root, one, two, deep))
		below, errBelow := tx.ListOutlines(ctx, a.ID, 10)
		equal(t, "ListOutlines of the root", below, outlinesOf(one, two))
		return errors.Join(append(errs, err, errBelow)...)
	})
}

// Tasks that wait are found without those that are done, but with all groups (control K818).
func testWaitingTasks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	states := []trowel.TaskState{
		trowel.TaskPlanned, trowel.TaskSuccess, trowel.TaskSuccess, trowel.TaskError, trowel.TaskBlocked, trowel.TaskReady, trowel.TaskReady, trowel.TaskRunning,
		trowel.TaskRetryWaiting,
	}
	var rows []*trowel.Task
	for i, state := range states {
		row := newTask(a, trowel.TaskID(10+i))
		row.State, row.Group = state, i < 2
		if state == trowel.TaskReady {
			row.ReadyAt = at(int64(i))
		}
		rows = append(rows, row)
	}
	insertTasks(t, db, append(slices.Clone(rows), newTask(other, 40))...)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		open, err := tx.ListUnfinished(ctx, a.ID)
		equal(t, "ListUnfinished", open, outlinesOf(slices.Delete(slices.Clone(rows), 2, 3)...))
		ids, errIDs := tx.ListWaitingTasks(ctx, a.ID, 0, 10)
		equal(t, "ListWaitingTasks", ids, []trowel.TaskID{10, 14, 15, 16, 18})
		some, errSome := tx.ListWaitingTasks(ctx, a.ID, 10, 2)
		equal(t, "ListWaitingTasks after one", some, []trowel.TaskID{14, 15})
		counts, errCounts := tx.CountReady(ctx, a.ID)
		equal(t, "CountReady", counts, []trowel.ReadyCount{{First: 15, Count: 2, ReadyAt: at(5), Flags: rows[5].Flags}})
		return errors.Join(err, errIDs, errSome, errCounts)
	})
}

// Keys of a workflow are read without the rest of it.
func testWorkflowKeys(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a := newAttempt(t, db, s, "")
	var first string
	for key := range s.Workflow.Definition.All() {
		first = key
		break
	}
	value, _ := s.Workflow.Definition.Get(first)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		found, err := tx.FindWorkflowKeys(ctx, a.ID, []string{"no such key", first})
		equal(t, "FindWorkflowKeys", found, param.Of(first, value))
		_, errNone := tx.FindWorkflowKeys(ctx, 999, []string{first})
		if !errors.Is(errNone, trowel.ErrNotFound) {
			t.Errorf("FindWorkflowKeys of an unknown attempt: %v", errNone)
		}
		return err
	})
}

// Children are counted by round and state, with the first of each.
func testCountedChildren(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	var rows []*trowel.Task
	for i, state := range []trowel.TaskState{trowel.TaskRunning, trowel.TaskReady, trowel.TaskReady, trowel.TaskSuccess, trowel.TaskReady} {
		row := newTask(a, trowel.TaskID(20+i))
		row.ParentID, row.State = 10, state
		if i > 3 {
			row.ParentRound = 1
		}
		rows = append(rows, row)
	}
	insertTasks(t, db, append(rows, newTask(a, 10), newTask(a, 40))...)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		counts, err := tx.CountChildren(ctx, a.ID, 10)
		equal(t, "CountChildren", counts, []trowel.ChildCount{
			{State: trowel.TaskReady, Count: 2, First: 21},
			{State: trowel.TaskRunning, Count: 1, First: 20},
			{State: trowel.TaskSuccess, Count: 1, First: 23},
			{ParentRound: 1, State: trowel.TaskReady, Count: 1, First: 24},
		})
		return err
	})
}

// Ready and running tasks of all attempts come with the names of their workflow and project.
func testBusyTasks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a := newAttempt(t, db, s, "")
	ready, first, second, done := fullTask(a, 1), fullTask(a, 2), newTask(a, 3), newTask(a, 4)
	ready.State, first.State, second.State, done.State = trowel.TaskReady, trowel.TaskRunning, trowel.TaskRunning, trowel.TaskSuccess
	second.AgentID = "agent-2"
	insertTasks(t, db, ready, first, second, done)
	busy := func(row *trowel.Task) trowel.BusyTask {
		return trowel.BusyTask{
			AttemptID: a.ID, TaskID: row.ID, FullName: row.FullName, ProjectID: s.Project.ID, Project: "p", Workflow: "w", AgentID: row.AgentID,
			ReadyAt: row.ReadyAt, ClaimedAt: row.ClaimedAt, Requirements: row.Requirements, Acquired: row.Acquired,
		}
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		waiting, err := tx.ListReady(ctx, 10)
		equal(t, "ListReady", waiting, []trowel.BusyTask{busy(ready)})
		running, errBusy := tx.ListBusy(ctx, 10)
		slices.SortFunc(running, func(a, b trowel.BusyTask) int { return int(a.TaskID - b.TaskID) })
		equal(t, "ListBusy", running, []trowel.BusyTask{busy(first), busy(second)})
		one, errOne := tx.ListBusy(ctx, 1)
		equal(t, "number of running tasks up to a limit", len(one), 1)
		counts, n, errCounts := tx.CountBusy(ctx, a.ID)
		equal(t, "CountBusy", counts, map[string]int{"agent-1": 1, "agent-2": 1})
		equal(t, "CountBusy of the attempt", n, 2)
		_, none, errNone := tx.CountBusy(ctx, a.ID+1)
		equal(t, "CountBusy of another attempt", none, 0)
		ofAttempt, errReady := tx.CountReady(ctx, a.ID)
		equal(t, "CountReady", ofAttempt, []trowel.ReadyCount{
			{First: ready.ID, Count: 1, ReadyAt: ready.ReadyAt, Flags: ready.Flags, Requirements: ready.Requirements, Acquired: ready.Acquired},
		})
		return errors.Join(err, errBusy, errOne, errCounts, errNone, errReady)
	})
}

// Admitted attempts, the tries of one task, and the changes of one instant.
func testWhyRest(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, b := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	try := func(task trowel.TaskID, number int) trowel.Try {
		return trowel.Try{AttemptID: a.ID, TaskID: task, Number: number, FullName: "+w", EndedAt: at(int64(20 - number)), Exit: trowel.ExitRetry, LastLines: []string{"no"}}
	}
	ended := func(task trowel.TaskID, took int64) trowel.Try {
		return trowel.Try{AttemptID: a.ID, TaskID: task, Number: 1, FullName: "+x", StartedAt: at(30), EndedAt: at(30 + took), Exit: trowel.ExitSuccess}
	}
	early := trowel.AuditEntry{At: at(1), AttemptID: a.ID, TaskID: 1, From: "ready", To: "running", Cause: "claim", Actor: "agent", Batch: 1}
	late := trowel.AuditEntry{At: at(2), AttemptID: a.ID, TaskID: 1, From: "blocked", To: "blocked", Cause: "cancel", Actor: "ann", Batch: 2}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertTries(ctx, []trowel.Try{try(1, 1), try(1, 2), try(2, 1), ended(7, 2), ended(8, 3)}), tx.InsertAudits(ctx, []trowel.AuditEntry{early, late}))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		took, errTook := tx.FindTimesTaken(ctx, a.ID, []string{"+w", "+x", "+x", "+none"})
		equal(t, "FindTimesTaken", took, map[string]time.Duration{"+x": 3 * time.Second})
		tries, err := tx.ListTriesOf(ctx, a.ID, 1)
		equal(t, "ListTriesOf", tries, []trowel.Try{try(1, 1), try(1, 2)})
		entries, errAudit := tx.ListAuditsAt(ctx, a.ID, at(2))
		equal(t, "ListAuditsAt", entries, []trowel.AuditEntry{late})
		admitted, errAdmitted := tx.ListAdmitted(ctx, s.Project.ID, "w", 10)
		equal(t, "ListAdmitted", admitted, []trowel.AttemptID{a.ID, b.ID})
		one, errOne := tx.ListAdmitted(ctx, s.Project.ID, "w", 1)
		equal(t, "ListAdmitted up to a limit", one, []trowel.AttemptID{a.ID})
		return errors.Join(err, errTook, errAudit, errAdmitted, errOne)
	})
}
