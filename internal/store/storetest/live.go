package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Live tasks are those that wait for a server, with what it must know of them.
func testLiveTasks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	task := func(a *trowel.Attempt, id trowel.TaskID, state trowel.TaskState) *trowel.Task {
		row := newTask(a, id)
		row.State = state
		return row
	}
	var all []*trowel.Task
	for state := trowel.TaskBlocked; state <= trowel.TaskAwaitingInput; state++ {
		all = append(all, task(a, trowel.TaskID(100+state), state))
	}
	full := fullTask(a, 50)
	evaluating := task(a, 40, trowel.TaskBlocked)
	evaluating.WaitReason = trowel.WaitEvaluating
	theirs := task(other, 200, trowel.TaskRunning)
	theirs.AgentID, theirs.Requirements, theirs.Try, theirs.StartedAt = "agent", fullNeeds(), 1, at(5)
	insertTasks(t, db, append(all, theirs, full, evaluating)...)
	live := func(row *trowel.Task) trowel.LiveTask {
		return trowel.LiveTask{
			AttemptID: row.AttemptID, TaskID: row.ID, State: row.State, Flags: row.Flags, Try: row.Try, WaitReason: row.WaitReason, ReadyAt: row.ReadyAt,
			RetryAt: row.RetryAt, StartedAt: row.StartedAt, AgentID: row.AgentID, Requirements: row.Requirements, Acquired: row.Acquired,
		}
	}
	want := []trowel.LiveTask{live(evaluating), live(full), live(all[1]), live(all[2]), live(all[3])}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListLive(ctx, []trowel.AttemptID{other.ID, 999, a.ID})
		equal(t, "ListLive", got, want)
		one, errOne := tx.ListLive(ctx, []trowel.AttemptID{a.ID})
		equal(t, "ListLive of one attempt", one, want)
		none, errNone := tx.ListLive(ctx, nil)
		equal(t, "number of live tasks of no attempts", len(none), 0)
		running, errRunning := tx.ListRunningOf(ctx, "agent")
		equal(t, "ListRunningOf", running, []trowel.LiveTask{live(theirs)})
		nobody, errNobody := tx.ListRunningOf(ctx, "agent-1") // its task waits
		equal(t, "number of running tasks of another agent", len(nobody), 0)
		late, errLate := tx.ListOverdue(ctx, theirs.StartedAt.Add(time.Microsecond), 10)
		equal(t, "ListOverdue", late, []trowel.AttemptID{other.ID})
		early, errEarly := tx.ListOverdue(ctx, theirs.StartedAt, 10)
		equal(t, "number of attempts with tasks that run for long", len(early), 0)
		return errors.Join(err, errOne, errNone, errRunning, errNobody, errLate, errEarly)
	})
}

// Changed tasks are those with a later version, up to the limit.
func testChangedTasks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	root, child, theirs := newTask(a, 1), fullTask(a, 2), fullTask(other, 3)
	root.Version, child.Version = 4, 5
	insertTasks(t, db, root, child, theirs)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListChanged(ctx, a.ID, 4, 10)
		equal(t, "tasks changed after version 4", got, []trowel.ChangedTask{{
			ID: child.ID, ParentID: child.ParentID, State: child.State, Try: child.Try, WaitReason: child.WaitReason,
			StartedAt: child.StartedAt, UpdatedAt: child.UpdatedAt, Version: 5,
		}})
		one, errOne := tx.ListChanged(ctx, a.ID, 3, 1)
		equal(t, "number of changed tasks of which one was asked for", len(one), 1)
		none, errNone := tx.ListChanged(ctx, a.ID, 5, 10)
		equal(t, "number of tasks changed after the last version", len(none), 0)
		return errors.Join(err, errOne, errNone)
	})
}

// Attempts that are not done are listed in pages, or found by their ids.
func testRunning(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	var want []trowel.RunningAttempt
	var ids []trowel.AttemptID
	for i := range 150 {
		a := newAttempt(t, db, s, fmt.Sprint("a", i))
		ids = append(ids, a.ID)
		if i == 3 {
			a.FinishedAt = at(9)
		}
		a.Flags, a.Version = trowel.AttemptCancelRequested, int64(i)
		if i == 7 {
			a.Flags |= 1 << 14 // of a later version
		}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, a) })
		if i != 3 {
			want = append(want, trowel.RunningAttempt{
				ID: a.ID, Version: a.Version, Flags: a.Flags, ProjectID: a.ProjectID, WorkflowID: a.WorkflowID, Workflow: "w", Cause: a.Cause, CreatedAt: a.CreatedAt,
			})
		}
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		first, errFirst := tx.ListRunning(ctx, 0, 5)
		equal(t, "first page", first, want[:5])
		rest, errRest := tx.ListRunning(ctx, first[4].ID, 1000)
		equal(t, "second page", rest, want[5:])
		found, err := tx.FindRunning(ctx, append([]trowel.AttemptID{99999}, ids...))
		equal(t, "FindRunning", found, want)
		none, errNone := tx.FindRunning(ctx, ids[3:4])
		equal(t, "number of ended attempts that run", len(none), 0)
		return errors.Join(errFirst, errRest, err, errNone)
	})
}
