package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// pastAttempts stores attempts in sessions of their own, or in shared ones.
type pastAttempts struct {
	*testing.T

	db      trowel.Store
	setting *trowel.AttemptContext
}

// attempt stores an attempt with rows of everything that belongs to one. ended is when it ended,
// zero if it runs.
func (h *pastAttempts) attempt(workflow string, hour int, ended time.Time) trowel.AttemptID {
	h.Helper()
	s := &trowel.Session{
		ProjectID: h.setting.Project.ID, Workflow: workflow, Time: time.Unix(1705276800+int64(hour)*3600, 0).UTC(), UUID: fmt.Sprint(workflow, hour),
	}
	a := &trowel.Attempt{WorkflowID: h.setting.Workflow.ID, Zone: "UTC", Cause: "run", CreatedAt: at(2)}
	update(h.T, h.db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.FindLatestAttempt(ctx, s.ProjectID, workflow, s.Time, "")
		if err == nil {
			a.Name = fmt.Sprint("again", time.Now().UnixNano())
		}
		if err := tx.InsertAttempt(ctx, s, a); err != nil {
			return err
		}
		ids, err := tx.ReserveTaskIDs(ctx, 1)
		if err != nil {
			return err
		}
		row := newTask(a, ids)
		err = errors.Join(
			tx.InsertTasks(ctx, []*trowel.Task{row}),
			tx.InsertTries(ctx, []trowel.Try{{AttemptID: a.ID, TaskID: row.ID, Number: 1, FullName: "+w", EndedAt: at(3), Exit: trowel.ExitSuccess}}),
			tx.InsertAudits(ctx, []trowel.AuditEntry{{At: at(3), AttemptID: a.ID, TaskID: row.ID, Batch: 1, To: "ready", Cause: "start"}}),
			tx.InsertLogChunks(ctx, newChunks(a, "+w@1.log.gz", 2)),
			tx.InsertResumed(ctx, a.ID, []*trowel.Task{row}),
			tx.InsertSLATimer(ctx, &trowel.SLATimer{AttemptID: a.ID, DueAt: at(9)}),
		)
		if err != nil || ended.IsZero() {
			return err
		}
		a.Flags, a.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, ended
		return errors.Join(tx.ArchiveTasks(ctx, ended, trowel.EndedTasks{AttemptID: a.ID, Tasks: []*trowel.Task{row}}), tx.UpdateAttempts(ctx, a))
	})
	return a.ID
}

// clean deletes what is old at an instant, in pages of three.
func (h *pastAttempts) clean(before time.Time) (deleted trowel.DeletedAttempts) {
	h.Helper()
	for after := trowel.AttemptID(0); ; {
		var old []trowel.AttemptID
		view(h.T, h.db, func(ctx context.Context, tx trowel.Tx) (err error) {
			old, after, err = tx.ListOldAttempts(ctx, before, after, 3)
			return err
		})
		update(h.T, h.db, func(ctx context.Context, tx trowel.Tx) error {
			n, err := tx.DeleteAttempts(ctx, before, old)
			deleted.Attempts, deleted.Sessions = deleted.Attempts+n.Attempts, deleted.Sessions+n.Sessions
			return err
		})
		if after == 0 {
			return deleted
		}
	}
}

// left returns the attempts of all sessions, in the order of the sessions' ids. Each session must still have
// its last attempt.
func (h *pastAttempts) left() (ids []trowel.AttemptID) {
	h.Helper()
	view(h.T, h.db, func(ctx context.Context, tx trowel.Tx) error {
		all, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Limit: -1})
		for i := range all {
			ids = append([]trowel.AttemptID{all[i].Attempt.ID}, ids...)
			session, errSession := tx.FindSession(ctx, all[i].Session.ID)
			if errSession == nil && session.Attempt.ID < all[i].Attempt.ID {
				errSession = fmt.Errorf("session %d ends with attempt %d, but has %d", session.Session.ID, session.Attempt.ID, all[i].Attempt.ID)
			}
			err = errors.Join(err, errSession)
		}
		return err
	})
	return ids
}

// Attempts that ended before an instant are deleted, with all that belongs to them. The last one of a session is
// deleted together with the session when all others can be deleted. The newest session of a workflow stays, and so do
// sessions that run or that a backfill waits for.
func testOldAttempts(t *testing.T, db trowel.Store) {
	h := &pastAttempts{t, db, newSetting(t, db)}
	old, before, young := at(10), at(20), at(20)
	gone := []trowel.AttemptID{h.attempt("w", 1, old), h.attempt("w", 1, old), h.attempt("w", 2, old)}
	first, last := h.attempt("w", 3, old), h.attempt("w", 3, time.Time{})    // the last one runs
	running, ended := h.attempt("w", 4, time.Time{}), h.attempt("w", 4, old) // an earlier one runs
	earlier, fresh := h.attempt("w", 5, young), h.attempt("w", 5, old)       // an earlier one ended later
	awaited := h.attempt("w", 6, old)
	newestOld, newest := h.attempt("w", 7, old), h.attempt("w", 7, old)
	other := h.attempt("v", 1, old)
	waits := h.attempt("w", 0, time.Time{})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		a, err := tx.FindAttempt(ctx, awaited)
		if err != nil {
			return err
		}
		return tx.InsertQueuedBackfillAttempt(ctx, &trowel.QueuedBackfillAttempt{AttemptID: waits, DependsOn: a.SessionID, NextRunAt: at(1)})
	})
	equal(t, "deleted", h.clean(before), trowel.DeletedAttempts{Attempts: len(gone) + 2, Sessions: 2})
	equal(t, "what is left", h.left(), []trowel.AttemptID{last, running, ended, earlier, fresh, awaited, newest, other, waits})
	equal(t, "deleted the next time", h.clean(before), trowel.DeletedAttempts{})
	wantRows(t, db, last, running)
	for _, id := range append(gone, first, newestOld) {
		wantNoRows(t, db, id)
	}

	// Nothing has to stay in a deleted project.
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteQueuedBackfillAttempt(ctx, waits), tx.DeleteProject(ctx, h.setting.Project.ID, at(21)))
	})
	equal(t, "deleted of a deleted project", h.clean(before), trowel.DeletedAttempts{Attempts: 3, Sessions: 3})
	equal(t, "what is left of it", h.left(), []trowel.AttemptID{last, running, ended, earlier, fresh, waits})
}

// wantRows checks that everything that belongs to running attempts is there.
func wantRows(t *testing.T, db trowel.Store, ids ...trowel.AttemptID) {
	t.Helper()
	for _, id := range ids {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			tasks, errTasks := tx.ListTasks(ctx, id, -1)
			tries, errTries := tx.ListTries(ctx, id)
			audits, errAudits := tx.ListAudits(ctx, id)
			logs, errLogs := tx.ListLogFiles(ctx, id, "")
			resumed, errResumed := tx.ListResumed(ctx, id)
			_, errMonitor := tx.FindSLATimer(ctx, id)
			equal(t, "rows of a running attempt", []int{len(tasks), len(tries), len(audits), len(logs), len(resumed)}, []int{1, 1, 1, 1, 1})
			return errors.Join(errTasks, errTries, errAudits, errLogs, errResumed, errMonitor)
		})
	}
}

func wantNoRows(t *testing.T, db trowel.Store, id trowel.AttemptID) {
	t.Helper()
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		tries, errTries := tx.ListTries(ctx, id)
		audits, errAudits := tx.ListAudits(ctx, id)
		logs, errLogs := tx.ListLogFiles(ctx, id, "")
		resumed, errResumed := tx.ListResumed(ctx, id)
		_, errMonitor := tx.FindSLATimer(ctx, id)
		_, errAttempt := tx.FindAttempt(ctx, id)
		_, errArchive := tx.ListArchivedTasks(ctx, id)
		equal(t, "rows of a deleted attempt", []int{len(tries), len(audits), len(logs), len(resumed)}, []int{0, 0, 0, 0})
		wantNotFound(t, map[string]error{"monitor": errMonitor, "attempt": errAttempt, "archive": errArchive})
		return errors.Join(errTries, errAudits, errLogs, errResumed)
	})
}

// An attempt that begins in a session which is deleted at the same time is complete.
func testParallelRetention(t *testing.T, db trowel.Store) {
	h := &pastAttempts{t, db, newSetting(t, db)}
	const sessions = 20
	var old []trowel.AttemptID
	for hour := range sessions {
		old = append(old, h.attempt("w", hour, at(10)))
	}
	h.attempt("w", sessions, at(10))
	begun := make([]trowel.AttemptID, sessions)
	parallel(t, 2, func(i int) error {
		for n := range sessions {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				if i == 0 {
					_, err := tx.DeleteAttempts(t.Context(), at(20), old[n:min(n+3, sessions)])
					return err
				}
				s := &trowel.Session{ProjectID: h.setting.Project.ID, Workflow: "w", Time: time.Unix(1705276800+int64(n)*3600, 0).UTC(), UUID: "new"}
				a := &trowel.Attempt{Name: "new", WorkflowID: h.setting.Workflow.ID, Zone: "UTC", Cause: "run", CreatedAt: at(30)}
				err := tx.InsertAttempt(t.Context(), s, a)
				begun[n] = a.ID
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	h.clean(at(20))
	left := h.left()
	equal(t, "number of attempts left", len(left), sessions+1)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for _, id := range begun {
			a, err := tx.FindAttemptSummary(ctx, id)
			if err != nil {
				return err
			}
			session, err := tx.FindSession(ctx, a.Session.ID)
			if err != nil || session.Attempt.ID != id {
				return fmt.Errorf("session of attempt %d: %v, %w", id, session, err)
			}
		}
		return nil
	})
}

// Revisions that nothing refers to are deleted, with definitions that no other revision uses. The newest one of a
// project stays, and so do young ones and those with attempts or schedules.
func testOldRevisions(t *testing.T, db trowel.Store) {
	var revisions []trowel.Revision
	var workflows []*trowel.Workflow
	project := trowel.Project{Name: "p", CreatedAt: at(0)}
	for i := range 7 {
		r := trowel.Revision{
			Name: fmt.Sprint("r", i), CreatedAt: at(int64(i)),
			Archive: trowel.Archive{Type: "db", Key: fmt.Sprint("k", i/2), MD5: make([]byte, 16), SizeBytes: 1},
		}
		if i == 5 {
			r.CreatedAt = at(100) // young
		}
		w := &trowel.Workflow{Name: "w", Zone: "UTC", Definition: rich()}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			err := tx.InsertRevision(ctx, &project, &r, []*trowel.Workflow{w})
			return errors.Join(err, tx.InsertFindings(ctx, r.ID, trowel.Findings{Total: 1, List: []trowel.Finding{{File: "w.dig"}}}))
		})
		revisions, workflows = append(revisions, r), append(workflows, w)
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		session := trowel.Session{ProjectID: project.ID, Workflow: "w", Time: time.Unix(0, 0).UTC(), UUID: "u"}
		return errors.Join(
			tx.InsertAttempt(ctx, &session, &trowel.Attempt{WorkflowID: workflows[2].ID, Zone: "UTC", Cause: "run", CreatedAt: at(3)}),
			tx.InsertSchedule(ctx, &trowel.Schedule{
				ProjectID: project.ID, Workflow: "w", WorkflowID: workflows[4].ID, NextRunAt: at(9), NextSessionAt: at(9), CreatedAt: at(1), UpdatedAt: at(1),
			}),
		)
	})
	want := []trowel.OldRevision{
		{ID: revisions[0].ID, ProjectID: project.ID}, {ID: revisions[1].ID, ProjectID: project.ID}, {ID: revisions[3].ID, ProjectID: project.ID},
	}
	var all []trowel.RevisionID
	for _, r := range revisions {
		all = append(all, r.ID)
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		list, err := tx.ListOldRevisions(ctx, at(50), 0, 10)
		equal(t, "ListOldRevisions", list, want)
		page, errPage := tx.ListOldRevisions(ctx, at(50), want[0].ID, 1)
		equal(t, "page of ListOldRevisions", page, want[1:2])
		none, errNone := tx.ListOldRevisions(ctx, at(0), 0, 10)
		equal(t, "number of revisions before the first", len(none), 0)
		n, archives, errDelete := tx.DeleteRevisions(ctx, at(50), project.ID, all)
		equal(t, "number of deleted revisions", n, 3)
		// The revision with the attempt still uses k1.
		equal(t, "archives", archives, []trowel.Archive{{Type: "db", Key: "k0"}})
		return errors.Join(err, errPage, errNone, errDelete)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		left, err := tx.ListRevisions(ctx, project.ID, 0, 10)
		var names []string
		for _, r := range left {
			names = append(names, r.Name)
		}
		equal(t, "revisions", names, []string{"r6", "r5", "r4", "r2"})
		definition, errDefinition := tx.FindDefinition(ctx, workflows[2].ID)
		_, errGone := tx.FindDefinition(ctx, workflows[0].ID)
		wantNotFound(t, map[string]error{"workflow of a deleted revision": errGone})
		if errDefinition == nil {
			equal(t, "definition", definition.Workflow.Definition, rich())
		}
		return errors.Join(err, errDefinition)
	})
}

// Only the oldest decisions are looked at, and only old ones among them are deleted.
func testOldDecisions(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	var decisions []trowel.Decision
	for i := range 10 {
		decisions = append(decisions, trowel.Decision{At: at(int64(i)), ProjectID: s.Project.ID, Workflow: "w", SessionAt: at(1), RunAt: at(1), What: trowel.DecisionStarted})
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertDecisions(ctx, decisions) })
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		old, err := tx.CountDecisions(ctx, at(5))
		equal(t, "CountDecisions", old, 5)
		for i, want := range []int{3, 2, 0} {
			n, errDelete := tx.DeleteDecisions(ctx, at(5), 3)
			equal(t, fmt.Sprint("DeleteDecisions ", i), n, want)
			err = errors.Join(err, errDelete)
		}
		left, errLeft := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: s.Project.ID, Workflow: "w", Limit: 100})
		equal(t, "number of decisions left", len(left), 5)
		return errors.Join(err, errLeft)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		err := tx.PutParamValues(ctx, []trowel.ParamValue{{Key: "a", UpdatedAt: at(1)}, {Key: "b", UpdatedAt: at(2)}})
		n, errCount := tx.CountParamValues(ctx, at(2))
		equal(t, "CountParamValues", n, 1)
		return errors.Join(err, errCount)
	})
}
