package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// newSchedule returns a schedule of a setting's workflow.
func newSchedule(s *trowel.AttemptContext, next time.Time) *trowel.Schedule {
	return &trowel.Schedule{
		ProjectID: s.Project.ID, Workflow: s.Workflow.Name, WorkflowID: s.Workflow.ID, NextRunAt: next, NextSessionAt: next.Add(-time.Hour),
		CreatedAt: at(1), UpdatedAt: at(2),
	}
}

// newSchedules stores a project with n workflows. The schedule of each is due a second after the one before
// it.
func newSchedules(t *testing.T, db trowel.Store, project string, n int) (list []*trowel.ScheduledWorkflow) {
	t.Helper()
	p, r := trowel.Project{Name: project, CreatedAt: at(0)}, trowel.Revision{Name: "r1", Params: rich(), CreatedAt: at(1)}
	var workflows []*trowel.Workflow
	for i := range n {
		workflows = append(workflows, &trowel.Workflow{Name: fmt.Sprintf("w%03d", i), Zone: "UTC", Definition: rich()})
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		if err := tx.InsertRevision(ctx, &p, &r, workflows); err != nil {
			return err
		}
		list = nil
		for i, w := range workflows {
			d := trowel.Definition{Project: p, Revision: r, Workflow: *w}
			s := newSchedule(&trowel.AttemptContext{Project: p, Workflow: *w}, at(int64(i)))
			if err := tx.InsertSchedule(ctx, s); err != nil {
				return err
			}
			list = append(list, &trowel.ScheduledWorkflow{Schedule: *s, Definition: d})
		}
		return nil
	})
	return list
}

// All fields of a schedule come back; ids are never used again.
func testSchedules(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	full := newSchedule(s, at(10))
	full.LastSessionAt, full.DisabledAt = at(3), at(4)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertSchedule(ctx, full) })
	want := &trowel.ScheduledWorkflow{Schedule: *full, Definition: trowel.Definition{Project: s.Project, Revision: s.Revision, Workflow: s.Workflow}}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindSchedule(ctx, full.ID)
		equal(t, "FindSchedule", got, want)
		_, errUnknown := tx.FindSchedule(ctx, 999)
		wantNotFound(t, map[string]error{"FindSchedule(999)": errUnknown})
		return err
	})
	want.Schedule.NextRunAt, want.Schedule.NextSessionAt, want.Schedule.UpdatedAt = trowel.ScheduleEnded(), trowel.ScheduleEnded(), at(20)
	want.Schedule.LastSessionAt, want.Schedule.DisabledAt = time.Time{}, time.Time{}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		changed := want.Schedule
		changed.CreatedAt = at(99) // stays
		if err := tx.UpdateSchedule(ctx, &changed); err != nil {
			return err
		}
		got, err := tx.LockSchedule(ctx, full.ID)
		equal(t, "LockSchedule", got, want)
		_, errUnknown := tx.LockSchedule(ctx, 999)
		wantNotFound(t, map[string]error{"LockSchedule(999)": errUnknown, "UpdateSchedule(999)": tx.UpdateSchedule(ctx, &trowel.Schedule{
			ID: 999, WorkflowID: s.Workflow.ID, NextRunAt: at(1), NextSessionAt: at(1), UpdatedAt: at(1),
		})})
		return err
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertSchedule(ctx, newSchedule(s, at(1))) })
	again := newSchedule(s, at(1))
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteSchedule(ctx, full.ID), tx.DeleteSchedule(ctx, 999), tx.InsertSchedule(ctx, again))
	})
	if again.ID <= full.ID {
		t.Errorf("id after a deleted schedule = %d, want more than %d", again.ID, full.ID)
	}
}

func testScheduleLists(t *testing.T, db trowel.Store) {
	first, second := newSchedules(t, db, "first", 4), newSchedules(t, db, "second", 3)
	all := append(append([]*trowel.ScheduledWorkflow{}, first...), second...)
	for _, row := range []struct {
		what   string
		filter trowel.ScheduleFilter
		want   []*trowel.ScheduledWorkflow
	}{
		{"all", trowel.ScheduleFilter{Limit: -1}, all},
		{"page", trowel.ScheduleFilter{Limit: 3, After: first[1].Schedule.ID}, all[2:5]},
		{"project", trowel.ScheduleFilter{Limit: -1, Project: second[0].Definition.Project.ID}, second},
		{"workflow of a project", trowel.ScheduleFilter{Limit: -1, Project: second[0].Definition.Project.ID, Workflow: "w001"}, second[1:2]},
		{"workflow", trowel.ScheduleFilter{Limit: -1, Workflow: "w001"}, []*trowel.ScheduledWorkflow{first[1], second[1]}},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListSchedules(ctx, row.filter)
			equal(t, "ListSchedules: "+row.what, got, row.want)
			return err
		})
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		locked, err := tx.LockSchedules(ctx, second[0].Definition.Project.ID)
		var want []*trowel.Schedule
		for _, s := range second {
			want = append(want, &s.Schedule)
		}
		equal(t, "LockSchedules", locked, want)
		return err
	})
}

// Due schedules are enabled ones whose time has come, the earliest first.
func testDueSchedules(t *testing.T, db trowel.Store) {
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		next, err := tx.FindNextRun(ctx)
		equal(t, "FindNextRun without schedules", next, time.Time{})
		return err
	})
	all := newSchedules(t, db, "p", 6)
	all[0].Schedule.DisabledAt = at(9)
	all[1].Schedule.NextRunAt = at(4) // the same as all[4], whose id is larger
	all[2].Schedule.NextRunAt = trowel.ScheduleEnded()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.UpdateSchedule(ctx, &all[0].Schedule), tx.UpdateSchedule(ctx, &all[1].Schedule), tx.UpdateSchedule(ctx, &all[2].Schedule))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		next, errNext := tx.FindNextRun(ctx)
		equal(t, "FindNextRun", next, at(3))
		due, errDue := tx.ListDueSchedules(ctx, at(4), 10)
		equal(t, "ListDueSchedules", due, []*trowel.ScheduledWorkflow{all[3], all[1], all[4]})
		some, errSome := tx.ListDueSchedules(ctx, at(100), 2)
		equal(t, "ListDueSchedules with a limit", some, []*trowel.ScheduledWorkflow{all[3], all[1]})
		none, errNone := tx.ListDueSchedules(ctx, at(2), 10)
		equal(t, "number of schedules due too early", len(none), 0)
		return errors.Join(errNext, errDue, errSome, errNone)
	})
	// Control K816: schedules of paused workflows are not due until the pause ends.
	first := all[3].Schedule
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.PutPause(ctx, &trowel.Pause{ProjectID: first.ProjectID, Workflow: first.Workflow, At: at(1)})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		next, errNext := tx.FindNextRun(ctx)
		equal(t, "FindNextRun with a pause", next, at(4))
		due, errDue := tx.ListDueSchedules(ctx, at(4), 10)
		equal(t, "ListDueSchedules with a pause", due, []*trowel.ScheduledWorkflow{all[1], all[4]})
		return errors.Join(errNext, errDue)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.DeletePause(ctx, first.ProjectID, first.Workflow)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		next, err := tx.FindNextRun(ctx)
		equal(t, "FindNextRun after a pause", next, at(3))
		return err
	})
}

// A schedule is moved once, even if several try.
func testScheduleMoves(t *testing.T, db trowel.Store) {
	all := newSchedules(t, db, "p", 20)
	var moved atomic.Int64
	parallel(t, writers, func(int) error {
		var n int
		err := db.Update(t.Context(), func(tx trowel.Tx) error {
			var moves []trowel.ScheduleMove
			for _, s := range all {
				move := trowel.ScheduleMove{Schedule: s.Schedule, From: s.Schedule.NextSessionAt}
				move.Schedule.NextRunAt, move.Schedule.NextSessionAt, move.Schedule.LastSessionAt = at(1000), at(900), s.Schedule.NextSessionAt
				move.Schedule.UpdatedAt = at(50)
				moves = append(moves, move)
			}
			ids, err := tx.UpdateSchedules(t.Context(), moves)
			n = len(ids)
			return err
		})
		moved.Add(int64(n))
		return err
	})
	equal(t, "schedules moved", moved.Load(), int64(len(all)))
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		move := trowel.ScheduleMove{Schedule: all[3].Schedule, From: at(900)}
		move.Schedule.WorkflowID = all[4].Schedule.WorkflowID
		ids, err := tx.UpdateSchedules(ctx, []trowel.ScheduleMove{move})
		equal(t, "schedules of another revision that were moved", len(ids), 0)
		return err
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindSchedule(ctx, all[7].Schedule.ID)
		want := *all[7]
		want.Schedule.NextRunAt, want.Schedule.NextSessionAt, want.Schedule.LastSessionAt = at(1000), at(900), all[7].Schedule.NextSessionAt
		want.Schedule.UpdatedAt = at(50)
		equal(t, "moved schedule", got, &want)
		return err
	})
}

// Decisions outlive their schedule and are listed newest first.
func testDecisions(t *testing.T, db trowel.Store) {
	all := newSchedules(t, db, "p", 2)
	var want []trowel.Decision
	for i := range 5 {
		want = append(want, trowel.Decision{
			At: at(int64(10 - i)), ScheduleID: all[0].Schedule.ID, ProjectID: all[0].Definition.Project.ID, Workflow: "w000", SessionAt: at(1), RunAt: at(2),
			What: trowel.DecisionStarted,
		})
	}
	want[1].What, want[1].Reason = trowel.DecisionSkipped, "the attempt before it still runs"
	want[2].AttemptID = 1 << 40
	want[3].SessionAt = at(3)
	other := want[0]
	other.Workflow = "w001"
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertDecisions(ctx, nil), tx.InsertDecisions(ctx, append([]trowel.Decision{other}, want[:4]...)), tx.InsertDecisions(ctx, want[4:]))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteSchedule(ctx, all[0].Schedule.ID) })
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		project := want[0].ProjectID
		got, err := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: project, Workflow: "w000", Limit: 4})
		if err != nil || len(got) != 4 {
			t.Fatalf("ListDecisions: %d, %v, want 4", len(got), err)
		}
		for i, d := range got {
			if i > 0 && d.ID >= got[i-1].ID {
				t.Errorf("ids = %d and then %d, want smaller ones later", got[i-1].ID, d.ID)
			}
			expected := want[4-i]
			expected.ID = d.ID
			equal(t, "ListDecisions", d, expected)
		}
		before, err := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: project, Workflow: "w000", Before: got[1].ID, Limit: -1})
		if err != nil || len(before) != 3 || before[0].ID != got[2].ID {
			t.Errorf("ListDecisions before one: %d, %v, want those before", len(before), err)
		}
		about, err := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: project, Workflow: "w000", Session: at(3), Limit: 1})
		if err != nil || len(about) != 1 || about[0].SessionAt != at(3) {
			t.Errorf("ListDecisions about a session: %v, %v", about, err)
		}
		return err
	})
}
