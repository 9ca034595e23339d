package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// failureOf returns a failure with a value in every field.
func failureOf(a *trowel.Attempt, cause trowel.Cause, task trowel.TaskID, seconds int64) trowel.Failure {
	return trowel.Failure{
		At: at(seconds), AttemptID: a.ID, ProjectID: a.ProjectID, Workflow: "w", Cause: cause, Operator: "sh", Kind: "runtime",
		Message: "Command failed with code \u00e4 (runtime)", TaskID: task, TaskName: "+w+a", Try: 2, Tasks: 3,
	}
}

// Failures are found by time, attempt and cause, with what their tasks printed last, and are gone with their attempt.
func testFailures(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, b := newAttempt(t, db, s, ""), newAttempt(t, db, s, "again")
	stored := []trowel.Failure{failureOf(a, 7, 1, 10), failureOf(a, 7, 2, 20), failureOf(a, -9, 3, 30), failureOf(b, 7, 4, 40)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		try := trowel.Try{AttemptID: a.ID, TaskID: 2, Number: 2, FullName: "+w+a", EndedAt: at(20), Exit: trowel.ExitError, LastLines: []string{"x", "y"}}
		return errors.Join(tx.InsertFailures(ctx, stored), tx.InsertTries(ctx, []trowel.Try{try}))
	})
	all := trowel.FailureFilter{Since: at(0), Until: at(100), Limit: 100}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		first, err := tx.ListFailures(ctx, a.ID, 2)
		want := trowel.FailureSample{Failure: stored[1], Project: s.Project.Name, SessionTime: s.Session.Time, Zone: "Asia/Tokyo", LastLines: []string{"x", "y"}}
		want.ID = first[1].ID
		equal(t, "ListFailures", first[1], want)
		found, errFind := tx.FindFailures(ctx, []int64{first[1].ID, first[0].ID, 999})
		equal(t, "FindFailures", found, first)
		for _, tc := range []struct {
			name   string
			change func(f *trowel.FailureFilter)
			want   []trowel.FailedAttempt
		}{
			{"all", func(*trowel.FailureFilter) {}, []trowel.FailedAttempt{
				{Cause: -9, AttemptID: a.ID, Tasks: 3, First: at(30), Last: at(30)},
				{Cause: 7, AttemptID: a.ID, Tasks: 6, First: at(10), Last: at(20)},
				{Cause: 7, AttemptID: b.ID, Tasks: 3, First: at(40), Last: at(40)},
			}},
			{"time", func(f *trowel.FailureFilter) { f.Since, f.Until = at(20), at(30) }, []trowel.FailedAttempt{{Cause: 7, AttemptID: a.ID, Tasks: 3, First: at(20), Last: at(20)}}},
			{"cause", func(f *trowel.FailureFilter) { f.Cause = -9 }, []trowel.FailedAttempt{{Cause: -9, AttemptID: a.ID, Tasks: 3, First: at(30), Last: at(30)}}},
			{"the newest", func(f *trowel.FailureFilter) { f.Limit, f.Project, f.Workflow = 1, s.Project.ID, "w" }, []trowel.FailedAttempt{{Cause: 7, AttemptID: b.ID, Tasks: 3, First: at(40), Last: at(40)}}},
			{"another workflow", func(f *trowel.FailureFilter) { f.Workflow = "x" }, nil},
		} {
			f := all
			tc.change(&f)
			list, err := tx.ListFailedAttempts(ctx, f)
			for i := range list {
				if list[i].LastID == 0 {
					t.Errorf("%s: no last failure", tc.name)
				}
				list[i].LastID = 0
			}
			slices.SortFunc(list, func(x, y trowel.FailedAttempt) int { return int(x.Cause-y.Cause)*10 + int(x.AttemptID-y.AttemptID) })
			equal(t, "ListFailedAttempts: "+tc.name, list, tc.want)
			errFind = errors.Join(errFind, err)
		}
		known, errKnown := tx.FindKnownCauses(ctx, []trowel.Cause{7, -9, 8}, s.Project.ID, at(0), at(30))
		equal(t, "FindKnownCauses", known, map[trowel.Cause]bool{7: true})
		counts, errCount := tx.CountCauses(ctx, []trowel.Cause{7, -9, 8}, 0, b.ID, at(0))
		equal(t, "CountCauses", counts, map[trowel.Cause]int{7: 1, -9: 1})
		none, errNone := tx.CountCauses(ctx, []trowel.Cause{7}, 999, 0, at(0))
		equal(t, "CountCauses of another project", none, map[trowel.Cause]int{})
		return errors.Join(err, errFind, errKnown, errCount, errNone)
	})
	testRecovered(t, db, a, b)
}

// testRecovered checks that the last attempt of the session decides, and that failures are deleted with their attempt.
func testRecovered(t *testing.T, db trowel.Store, a, b *trowel.Attempt) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		a.Flags, a.FinishedAt = trowel.AttemptDone, at(50)
		b.Flags, b.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, at(60)
		return tx.UpdateAttempts(ctx, a, b)
	})
	count := func() (all, recovered int) {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			list, err := tx.ListFailedAttempts(ctx, trowel.FailureFilter{Since: at(0), Until: at(100), Limit: 100})
			for _, f := range list {
				if f.Recovered {
					recovered++
				}
			}
			all = len(list)
			return err
		})
		return all, recovered
	}
	if n, recovered := count(); n != 3 || recovered != 3 {
		t.Errorf("%d of %d recovered, want 3 of 3", recovered, n)
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.DeleteAttempts(ctx, at(1000), []trowel.AttemptID{a.ID})
		return err
	})
	if n, _ := count(); n != 1 {
		t.Errorf("%d failed attempts after one was deleted, want 1", n)
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteProject(ctx, b.ProjectID, time.Now()) })
	if n, _ := count(); n != 0 {
		t.Errorf("%d failed attempts of a deleted project, want none", n)
	}
}
