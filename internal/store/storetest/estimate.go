package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Upcoming schedules come by their next run, without disabled and paused ones.
func testEstimates(t *testing.T, db trowel.Store) {
	all := newSchedules(t, db, "p", 4)
	all[0].Schedule.DisabledAt = at(9)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateSchedule(ctx, &all[0].Schedule) })
	project := all[0].Schedule.ProjectID
	upcoming := func(f trowel.UpcomingFilter) (ids []trowel.ScheduleID) {
		t.Helper()
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			list, err := tx.ListUpcoming(ctx, f)
			for i := range list {
				ids = append(ids, list[i].Schedule.ID)
				want := &all[0]
				for j := range all {
					if all[j].Schedule.ID == list[i].Schedule.ID {
						want = &all[j]
					}
				}
				s := (*want).Schedule
				if got := list[i].Schedule; !got.NextRunAt.Equal(s.NextRunAt) || !got.NextSessionAt.Equal(s.NextSessionAt) || got.WorkflowID != s.WorkflowID || list[i].Project != "p" {
					t.Errorf("ListUpcoming: %+v, want %+v", list[i], s)
				}
			}
			return err
		})
		return ids
	}
	ids := []trowel.ScheduleID{all[1].Schedule.ID, all[2].Schedule.ID, all[3].Schedule.ID}
	equal(t, "ListUpcoming", upcoming(trowel.UpcomingFilter{Before: at(100), Limit: 10}), ids)
	equal(t, "ListUpcoming before", upcoming(trowel.UpcomingFilter{Before: all[3].Schedule.NextRunAt, Project: project, Limit: 10}), ids[:2])
	equal(t, "ListUpcoming of one", upcoming(trowel.UpcomingFilter{Before: at(100), Limit: 1}), ids[:1])
	equal(t, "ListUpcoming of a workflow", upcoming(trowel.UpcomingFilter{Before: at(100), Workflow: all[2].Schedule.Workflow, Limit: 9}), ids[1:2])
	equal(t, "ListUpcoming of another project", len(upcoming(trowel.UpcomingFilter{Before: at(100), Project: 999, Limit: 9})), 0)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.PutPause(ctx, &trowel.Pause{ProjectID: project, Workflow: all[1].Schedule.Workflow, At: at(1)})
	})
	equal(t, "ListUpcoming without paused ones", upcoming(trowel.UpcomingFilter{Before: at(100), Limit: 10}), ids[1:])
}

// Durations are those of successes with the same definition; attempts that wait are counted by reason.
func testDurations(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	other := &trowel.Revision{Name: "r2", CreatedAt: at(2)}
	changed := &trowel.Workflow{Name: "w", Zone: "UTC", Definition: rich()}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &s.Project, other, []*trowel.Workflow{changed})
	})
	insert := func(i int, workflow trowel.WorkflowID, cause string, flags trowel.AttemptFlags, wait trowel.WaitCode) {
		session := trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: at(int64(i)), UUID: "u"}
		a := &trowel.Attempt{Name: fmt.Sprint(i), WorkflowID: workflow, Zone: "UTC", Cause: cause, CreatedAt: at(int64(100 * i)), WaitReason: wait}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			if err := tx.InsertAttempt(ctx, &session, a); err != nil || flags == 0 {
				return err
			}
			a.Flags, a.FinishedAt = flags, at(int64(100*i+i))
			return tx.UpdateAttempts(ctx, a)
		})
	}
	good := trowel.AttemptDone | trowel.AttemptSuccess
	insert(1, s.Workflow.ID, "schedule", good, "")
	insert(2, s.Workflow.ID, "start", good, "")
	insert(3, s.Workflow.ID, "retry", good, "")
	insert(4, s.Workflow.ID, "start", trowel.AttemptDone, "")
	insert(5, changed.ID, "start", good, "")
	insert(6, s.Workflow.ID, "start", good, "")
	insert(7, s.Workflow.ID, "start", 0, "")
	insert(8, s.Workflow.ID, "start", 0, trowel.WaitAttemptsLimit)
	insert(9, s.Workflow.ID, "start", 0, trowel.WaitAttemptsLimit)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		list, err := tx.ListDurations(ctx, s.Project.ID, "w", s.Workflow.ID, 10)
		equal(t, "ListDurations", list, []time.Duration{6 * time.Second, 2 * time.Second, time.Second})
		some, errSome := tx.ListDurations(ctx, s.Project.ID, "w", s.Workflow.ID, 1)
		equal(t, "ListDurations of one", some, []time.Duration{6 * time.Second})
		own, errOwn := tx.ListDurations(ctx, s.Project.ID, "w", changed.ID, 10)
		equal(t, "ListDurations of another definition", own, []time.Duration{5 * time.Second})
		waiting, errWaiting := tx.CountWaiting(ctx)
		equal(t, "CountWaiting", waiting, []trowel.WaitingAttempts{{ProjectID: s.Project.ID, Workflow: "w", Reason: trowel.WaitAttemptsLimit, Count: 2}})
		return errors.Join(err, errSome, errOwn, errWaiting)
	})
}
