package storetest

import (
	"context"
	"fmt"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Ids are positive and grow. None is given out twice, even after a rollback in between.
func testTaskIDs(t *testing.T, db trowel.Store) {
	next := trowel.TaskID(1)
	for _, n := range []int{1, 1000, 1, 7} {
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			first, err := tx.ReserveTaskIDs(ctx, n)
			if first < next {
				t.Errorf("ReserveTaskIDs(%d) = %d, want at least %d", n, first, next)
			}
			next = first + trowel.TaskID(n)
			return err
		})
	}
}

// Every field of a task comes back as it was, and tasks are in the order of their ids.
func testTaskFields(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	plain, full := newTask(a, 11), fullTask(a, 12)
	bare := &trowel.Task{ID: 10, AttemptID: a.ID, FullName: "+w", UpdatedAt: at(3), Version: 7}
	later := newTask(a, 13) // what a later version writes
	later.State, later.Flags = trowel.TaskAwaitingInput, trowel.TaskInitial|1<<14
	insertTasks(t, db, full, plain, bare, later)
	equal(t, "ListTasks", listTasks(t, db, a), []*trowel.Task{bare, plain, full, later})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListTasks(ctx, a.ID, 1)
		equal(t, "tasks newer than version 1", got, []*trowel.Task{bare, full})
		none, errNone := tx.ListTasks(ctx, 999, -1)
		equal(t, "tasks of an unknown attempt", len(none), 0)
		if errNone != nil {
			return errNone
		}
		return err
	})
}

// An update without detail leaves alone what only an update with detail writes.
func testTaskUpdates(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	moved, ended, emptied := newTask(a, 1), newTask(a, 2), fullTask(a, 3)
	insertTasks(t, db, moved, ended, emptied)
	before := *moved
	now := fullTask(a, 1)
	*moved, *ended = *now, *now
	moved.ID, ended.ID = 1, 2
	moved.State, ended.State = trowel.TaskReady, trowel.TaskSuccess
	emptied = &trowel.Task{
		ID: 3, AttemptID: a.ID, ParentID: 1, FullName: emptied.FullName, Group: true, Local: emptied.Local, Export: emptied.Export, Origin: emptied.Origin,
		Upstreams: emptied.Upstreams, ParentRound: 5, ResumingID: 99, State: trowel.TaskReady, UpdatedAt: at(20), Version: 9,
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.UpdateTasks(ctx, []trowel.TaskUpdate{
			{Task: moved, From: trowel.TaskBlocked},
			{Task: ended, From: trowel.TaskBlocked, Detail: true},
			{Task: emptied, From: trowel.TaskGroupRetryWaiting, Detail: true},
		})
	})
	// Place, name and body never change.
	for _, row := range []*trowel.Task{moved, ended} {
		row.ParentID, row.FullName, row.Group, row.Local, row.Export = 0, before.FullName, false, before.Local, nil
		row.Origin = before.Origin
		row.Upstreams, row.ParentRound, row.ResumingID = nil, 0, 0
	}
	moved.RetryCount, moved.RetryAt, moved.WaitReason, moved.StateParams = 0, before.RetryAt, "", nil
	moved.Result, moved.Error, moved.Requirements, moved.Acquired, moved.Losses, moved.Masked = trowel.Result{}, nil, nil, nil, 0, nil
	equal(t, "tasks after the update", listTasks(t, db, a), []*trowel.Task{moved, ended, emptied})

	over := *moved
	over.State, over.Flags, over.UpdatedAt, over.Version = trowel.TaskError, trowel.TaskCancelRequested, at(30), 10
	written := over
	written.Round, written.Try, written.AgentID = 7, 8, "not written"
	written.ReadyAt, written.ClaimedAt, written.StartedAt = at(31), at(32), at(33)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.UpdateTasks(ctx, []trowel.TaskUpdate{{Task: &written, From: moved.State, Ended: true}})
	})
	equal(t, "tasks after an end", listTasks(t, db, a), []*trowel.Task{&over, ended, emptied})
}

// A task that is not in the expected state is a conflict, and the transaction has no effect.
func testTaskMisses(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	first, second := newTask(a, 1), newTask(a, 2)
	insertTasks(t, db, first, second)
	want := listTasks(t, db, a)
	for _, detail := range []bool{false, true} {
		for what, update := range map[string]trowel.TaskUpdate{
			"another state": {Task: &trowel.Task{ID: 2, State: trowel.TaskRunning, UpdatedAt: at(9)}, From: trowel.TaskReady, Detail: detail},
			"unknown":       {Task: &trowel.Task{ID: 3, State: trowel.TaskRunning, UpdatedAt: at(9)}, From: trowel.TaskBlocked, Detail: detail},
		} {
			refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
				good := *first
				good.State = trowel.TaskReady
				return tx.UpdateTasks(ctx, []trowel.TaskUpdate{{Task: &good, From: trowel.TaskBlocked}, update})
			})
			equal(t, "tasks after a miss: "+what, listTasks(t, db, a), want)
		}
	}
}

func testTaskConflicts(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	insertTasks(t, db, newTask(a, 1))
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertTasks(ctx, []*trowel.Task{newTask(a, 2), newTask(a, 1)})
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertTasks(ctx, []*trowel.Task{newTask(&trowel.Attempt{ID: 999}, 3)})
	})
	equal(t, "number of tasks", len(listTasks(t, db, a)), 1)
}

// Statements over many rows are cut into pieces. No row is lost at the cuts, and equal lists of
// upstreams share one slice.
func testManyTasks(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	id := trowel.TaskID(0)
	var want []*trowel.Task
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 129, 1000} {
		var added []*trowel.Task
		for range n {
			id++
			row := newTask(a, id)
			row.FullName = fmt.Sprintf("+w+t%d", id)
			if id > 2 {
				row.Upstreams = []trowel.TaskID{1, 2}
			}
			added = append(added, row)
		}
		insertTasks(t, db, added...)
		want = append(want, added...)
		var updates []trowel.TaskUpdate
		for i, row := range added {
			row.State, row.Version = trowel.TaskReady, 2
			if i%3 == 0 {
				row.StateParams = param.Of("n", int64(row.ID))
			}
			updates = append(updates, trowel.TaskUpdate{Task: row, From: trowel.TaskBlocked, Detail: i%3 == 0})
		}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateTasks(ctx, updates) })
	}
	got := listTasks(t, db, a)
	equal(t, "many tasks", got, want)
	if len(got) > 10 && &got[5].Upstreams[0] != &got[9].Upstreams[0] {
		t.Error("equal lists of upstreams are read as several slices")
	}
}
