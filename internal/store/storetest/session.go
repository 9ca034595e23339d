package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// newSummaries stores two projects with sessions of two workflows each and two attempts a session,
// and returns the attempts in the order of their ids.
func newSummaries(t *testing.T, db trowel.Store) (list []*trowel.AttemptSummary) {
	t.Helper()
	for _, project := range []string{"first", "second"} {
		p, r := trowel.Project{Name: project, CreatedAt: at(0)}, trowel.Revision{Name: "r1", CreatedAt: at(1)}
		workflows := []*trowel.Workflow{{Name: "a", Zone: "UTC"}, {Name: "b", Zone: "UTC"}}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertRevision(ctx, &p, &r, workflows) })
		for _, w := range workflows {
			for i := range 2 {
				s := &trowel.AttemptContext{Workflow: *w, Session: trowel.Session{
					ProjectID: p.ID, Workflow: w.Name, Time: time.Unix(1_000_000-int64(i)*3600, 0).UTC(), UUID: project + w.Name + string(rune('0'+i)),
				}}
				for _, name := range []string{"", "again"} {
					a := newAttempt(t, db, s, name)
					list = append(list, &trowel.AttemptSummary{Attempt: *a, Session: s.Session, Project: p})
				}
			}
		}
	}
	return list
}

// pick returns the summaries at some indexes.
func pick(list []*trowel.AttemptSummary, places ...int) (picked []*trowel.AttemptSummary) {
	for _, i := range places {
		picked = append(picked, list[i])
	}
	return picked
}

// Sessions are listed newest first, each with its last attempt.
func testSessionLists(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	first := all[0].Project.ID
	for _, row := range []struct {
		what   string
		filter trowel.SessionFilter
		want   []*trowel.AttemptSummary
	}{
		{"all", trowel.SessionFilter{Limit: -1}, pick(all, 15, 13, 11, 9, 7, 5, 3, 1)},
		{"page", trowel.SessionFilter{Limit: 2, Before: all[9].Session.ID}, pick(all, 7, 5)},
		{"project", trowel.SessionFilter{Limit: -1, Project: first}, pick(all, 7, 5, 3, 1)},
		{"workflow", trowel.SessionFilter{Limit: -1, Project: first, Workflow: "a"}, pick(all, 3, 1)},
		{"page of a workflow", trowel.SessionFilter{Limit: 5, Project: first, Workflow: "a", Before: all[3].Session.ID}, pick(all, 1)},
		{"unknown workflow", trowel.SessionFilter{Limit: -1, Project: first, Workflow: "c"}, nil},
		{"few bytes", trowel.SessionFilter{Limit: -1, MaxBytes: 1}, pick(all, 15)}, // one at least
		{"many bytes", trowel.SessionFilter{Limit: 2, MaxBytes: 1 << 30}, pick(all, 15, 13)},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListSessions(ctx, row.filter)
			equal(t, "ListSessions: "+row.what, got, row.want)
			return err
		})
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindSession(ctx, all[4].Session.ID)
		equal(t, "FindSession", got, all[5])
		one, errOne := tx.FindAttemptSummary(ctx, all[4].Attempt.ID)
		equal(t, "FindAttemptSummary", one, all[4])
		_, errSession := tx.FindSession(ctx, 999)
		_, errAttempt := tx.FindAttemptSummary(ctx, 999)
		wantNotFound(t, map[string]error{"FindSession(999)": errSession, "FindAttemptSummary(999)": errAttempt})
		return errors.Join(err, errOne)
	})
}

func testSummaryLists(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	first := all[0].Project.ID
	for _, row := range []struct {
		what   string
		filter trowel.AttemptFilter
		want   []*trowel.AttemptSummary
	}{
		{"all", trowel.AttemptFilter{Limit: -1}, pick(all, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)},
		{"page", trowel.AttemptFilter{Limit: 3, Before: all[9].Attempt.ID}, pick(all, 8, 7, 6)},
		{"project", trowel.AttemptFilter{Limit: 3, Project: first}, pick(all, 7, 6, 5)},
		{"workflow", trowel.AttemptFilter{Limit: -1, Project: first, Workflow: "b"}, pick(all, 7, 6, 5, 4)},
		{"session", trowel.AttemptFilter{Limit: -1, Session: all[8].Session.ID}, pick(all, 9, 8)},
		{"last ones", trowel.AttemptFilter{Limit: 3, LastOnly: true}, pick(all, 15, 13, 11)},
		{"last ones of a workflow", trowel.AttemptFilter{Limit: -1, LastOnly: true, Project: first, Workflow: "a"}, pick(all, 3, 1)},
		{"few bytes", trowel.AttemptFilter{Limit: -1, MaxBytes: 1, Before: all[9].Attempt.ID}, pick(all, 8)}, // one at least
		{"many bytes", trowel.AttemptFilter{Limit: 2, MaxBytes: 1 << 30}, pick(all, 15, 14)},
		{"page of last ones", trowel.AttemptFilter{Limit: 1, LastOnly: true, Before: all[3].Attempt.ID}, pick(all, 1)},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListAttempts(ctx, row.filter)
			equal(t, "ListAttempts: "+row.what, got, row.want)
			return err
		})
	}
}

// P15: the last session before an instant is the one with the latest time, whatever its id.
func testLastSessions(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	late, early := all[0].Session, all[2].Session
	for _, row := range []struct {
		workflow string
		before   time.Time
		want     time.Time
	}{
		{"a", late.Time.Add(time.Second), late.Time},
		{"a", late.Time, early.Time},
		{"a", early.Time, time.Time{}},
		{"c", late.Time.Add(time.Second), time.Time{}},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.FindLastSession(ctx, late.ProjectID, row.workflow, row.before)
			equal(t, "FindLastSession of "+row.workflow+" before "+row.before.String(), got, row.want)
			return err
		})
	}
}

// S26: only the newest attempt of a session makes its workflow active, and only until it is done or
// killed.
func testActiveAttempts(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	active := func(want bool, change func(a *trowel.Attempt)) {
		t.Helper()
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			// The older attempts, and the other session of the workflow, have ended in all cases.
			for i, s := range all[:4] {
				row := s.Attempt
				if i == 3 {
					change(&row)
				} else if i != 2 {
					row.Flags, row.FinishedAt = trowel.AttemptDone, at(9)
				}
				if err := tx.UpdateAttempts(ctx, &row); err != nil {
					return err
				}
			}
			return nil
		})
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.HasActiveAttempt(ctx, all[0].Project.ID, "a")
			equal(t, "HasActiveAttempt", got, want)
			return err
		})
	}
	active(true, func(*trowel.Attempt) {})
	active(false, func(a *trowel.Attempt) { a.Flags = trowel.AttemptCancelRequested })
	active(false, func(a *trowel.Attempt) { a.Flags, a.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, at(9) })
}
