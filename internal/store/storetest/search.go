package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A search finds the same attempts as a scan of all of them, page by page.
func testSearch(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	for i, n := range []int64{5, 3, 9, 9, 1, 7, 2, 8} { // ids and times are not in the same order
		s := all[i*2+1]
		a := trowel.Attempt{Name: "later", WorkflowID: s.Attempt.WorkflowID, Zone: "UTC", CreatedAt: at(n)}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAttempt(ctx, &s.Session, &a) })
		all = append(all, &trowel.AttemptSummary{Attempt: a, Session: s.Session, Project: s.Project})
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for i, s := range all {
			a := &s.Attempt
			a.Flags = []trowel.AttemptFlags{
				0, trowel.AttemptCancelRequested, trowel.AttemptDone, trowel.AttemptDone | trowel.AttemptSuccess,
				trowel.AttemptDone | trowel.AttemptCancelRequested, trowel.AttemptDone | trowel.AttemptSuccess | trowel.AttemptCancelRequested,
				256, trowel.AttemptDone | trowel.AttemptSuccess | 1<<14, // of later versions
			}[i%8]
			if a.Flags&trowel.AttemptDone != 0 {
				a.FinishedAt = at(99)
			}
			if err := tx.UpdateAttempts(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
	last := map[trowel.SessionID]trowel.AttemptID{}
	for _, s := range all {
		last[s.Session.ID] = max(last[s.Session.ID], s.Attempt.ID)
	}
	middle := at(5)
	first := all[0].Project.ID
	for _, status := range []string{"", "running", "success", "error", "killed"} {
		for _, of := range []trowel.AttemptSearch{
			{},
			{Project: first},
			{Project: first, Workflow: "b"},
			{Project: first, Workflow: "none"},
			{Project: 999},
			{CreatedFrom: middle},
			{CreatedTo: middle},
			{Project: first, Workflow: "a", CreatedFrom: at(3), CreatedTo: at(9)},
			{LastOnly: true},
			{LastOnly: true, Project: first},
		} {
			for _, ascending := range []bool{false, true} {
				q := of
				q.Status, q.Ascending, q.Limit = status, ascending, 3
				equal(t, fmt.Sprintf("SearchAttempts(%+v)", q), searched(t, db, q), sought(all, &q, last))
				q.MaxBytes = 1 // each attempt has more
				equal(t, fmt.Sprintf("SearchAttempts(%+v)", q), searched(t, db, q), sought(all, &q, last))
			}
		}
	}
}

// searched returns the ids of all pages of a search.
func searched(t *testing.T, db trowel.Store, q trowel.AttemptSearch) (ids []trowel.AttemptID) {
	t.Helper()
	for {
		var page []*trowel.AttemptSummary
		var more bool
		view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
			page, more, err = tx.SearchAttempts(ctx, q)
			return err
		})
		for _, s := range page {
			ids = append(ids, s.Attempt.ID)
		}
		if len(page) > q.Limit || q.MaxBytes == 1 && len(page) > 1 {
			t.Errorf("a page of SearchAttempts(%+v) has %d attempts", q, len(page))
		}
		if !more {
			return ids
		}
		end := &page[len(page)-1].Attempt
		q.After = &trowel.AttemptKey{CreatedAt: end.CreatedAt, ID: end.ID}
	}
}

// sought returns the ids that a search must find.
func sought(all []*trowel.AttemptSummary, q *trowel.AttemptSearch, last map[trowel.SessionID]trowel.AttemptID) (ids []trowel.AttemptID) {
	found := slices.Clone(all)
	slices.SortFunc(found, func(a, b *trowel.AttemptSummary) int {
		if at := a.Attempt.CreatedAt.Compare(b.Attempt.CreatedAt); at != 0 {
			return at
		}
		return int(a.Attempt.ID - b.Attempt.ID)
	})
	if !q.Ascending {
		slices.Reverse(found)
	}
	for _, s := range found {
		a := &s.Attempt
		if (q.Status == "" || a.Flags.Status() == q.Status) && (q.Project == 0 || a.ProjectID == q.Project) &&
			(q.Workflow == "" || s.Session.Workflow == q.Workflow) && !a.CreatedAt.Before(q.CreatedFrom) &&
			(q.CreatedTo.IsZero() || a.CreatedAt.Before(q.CreatedTo)) && (!q.LastOnly || last[s.Session.ID] == a.ID) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}
