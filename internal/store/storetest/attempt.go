package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Attempts of one session are numbered. There is one session for a project, workflow and time, which
// keeps its first UUID.
func testAttempts(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	first := newAttempt(t, db, s, "")
	session := s.Session
	other := trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: s.Session.Time, UUID: "another"}
	second := &trowel.Attempt{Name: "again", WorkflowID: s.Workflow.ID, Zone: "UTC", Cause: "retry", CreatedAt: at(5), WaitReason: trowel.WaitAttemptsLimit}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAttempt(ctx, &other, second) })
	equal(t, "session of the second attempt", other, session)
	if first.Index != 1 || second.Index != 2 || second.ID <= first.ID {
		t.Errorf("attempts are %d (id %d) and %d (id %d), want 1 and 2", first.Index, first.ID, second.Index, second.ID)
	}
	second.Flags, second.Version, second.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, 17, at(6)
	second.WaitReason = trowel.WaitWorkflowPaused
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, second) })
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAttempt(ctx, second.ID)
		equal(t, "FindAttempt", got, second)
		got, errLatest := tx.FindLatestAttempt(ctx, s.Project.ID, "w", s.Session.Time, "")
		equal(t, "latest attempt", got, second)
		got, errNamed := tx.FindLatestAttempt(ctx, s.Project.ID, "w", s.Session.Time, "again")
		equal(t, "attempt of that name", got, second)
		_, errUnknown := tx.FindAttempt(ctx, 12345)
		_, errTime := tx.FindLatestAttempt(ctx, s.Project.ID, "w", s.Session.Time.Add(time.Second), "")
		_, errName := tx.FindLatestAttempt(ctx, s.Project.ID, "w", s.Session.Time, "unknown")
		for what, err := range map[string]error{"id": errUnknown, "time": errTime, "name": errName} {
			if !errors.Is(err, trowel.ErrNotFound) {
				t.Errorf("attempt of an unknown %s: %v, want not found", what, err)
			}
		}
		return errors.Join(err, errLatest, errNamed)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAttempt(ctx, first.ID)
		equal(t, "the other attempt", got, first)
		return err
	})
}

// A taken name is refused, and the transaction can go on: the flusher starts others in it.
func testAttemptConflicts(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	newAttempt(t, db, s, "")
	named := &trowel.Attempt{Name: "n", WorkflowID: s.Workflow.ID, Zone: "UTC", Cause: "run", CreatedAt: at(5)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		again := &trowel.Attempt{WorkflowID: s.Workflow.ID, Zone: "UTC", Cause: "run", CreatedAt: at(5)}
		if err := tx.InsertAttempt(ctx, &s.Session, again); !errors.Is(err, trowel.ErrTaken) {
			t.Errorf("second attempt without a name: %v, want a conflict", err)
		}
		return tx.InsertAttempt(ctx, &s.Session, named)
	})
	if named.Index != 2 {
		t.Errorf("attempt after the refused one has number %d, want 2", named.Index)
	}
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertAttempt(ctx, &s.Session, &trowel.Attempt{Name: "x", WorkflowID: 999, Zone: "UTC", Cause: "run", CreatedAt: at(5)})
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		session := trowel.Session{ProjectID: 999, Workflow: "w", Time: s.Session.Time, UUID: "u"}
		return tx.InsertAttempt(ctx, &session, &trowel.Attempt{WorkflowID: s.Workflow.ID, Zone: "UTC", Cause: "run", CreatedAt: at(5)})
	})
	refuse(t, db, trowel.ErrNotFound, func(ctx context.Context, tx trowel.Tx) error {
		return tx.UpdateAttempts(ctx, named, &trowel.Attempt{ID: 999})
	})
}

func testAttemptCount(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	for i := range 7 {
		s.Session = trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: time.Unix(int64(i), 0).UTC(), UUID: "u"}
		a := newAttempt(t, db, s, "")
		if i == 3 {
			a.Flags, a.FinishedAt = trowel.AttemptDone, at(9)
			update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, a) })
		}
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		n, err := tx.CountRunningAttempts(ctx)
		equal(t, "CountRunningAttempts", n, 6)
		return err
	})
}

// Attempts are locked in the order of their ids, not in the order of the arguments. Unknown ones are
// left out.
func testAttemptLocks(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	var all []*trowel.Attempt
	var ids []trowel.AttemptID
	for i := range 150 {
		s.Session = trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: time.Unix(int64(i), 0).UTC(), UUID: "u"}
		a := newAttempt(t, db, s, "")
		all, ids = append(all, a), append(ids, a.ID)
	}
	for _, n := range []int{0, 1, 2, 3, 63, 64, 65, 150} {
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			var asked []trowel.AttemptID
			asked = append(append(asked, ids[:n]...), 99999)
			got, err := tx.LockAttempts(ctx, asked)
			if len(got)+n > 0 {
				equal(t, "LockAttempts", got, all[:n])
			}
			return err
		})
	}
}

// Attempts at the expected versions are locked, and get the next version. If one of them has changed, has ended or is
// unknown, the transaction fails.
func testExpectedAttempts(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	versions := map[trowel.AttemptID]int64{}
	var all []*trowel.Attempt
	for i := range 12 { // more than are sent one by one
		s.Session = trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: time.Unix(int64(i), 0).UTC(), UUID: "u"}
		a := newAttempt(t, db, s, "")
		all, versions[a.ID] = append(all, a), a.Version
	}
	expect := func(versions map[trowel.AttemptID]int64) func(context.Context, trowel.Tx) error {
		return func(ctx context.Context, tx trowel.Tx) error {
			return errors.Join(tx.LockAttemptVersions(ctx, versions), tx.InsertRecords(ctx, &trowel.AuditRecord{At: at(1), Action: "probe"}))
		}
	}
	succeed := func(ids ...trowel.AttemptID) {
		t.Helper()
		some := map[trowel.AttemptID]int64{}
		for _, id := range ids {
			some[id] = versions[id]
		}
		update(t, db, expect(some))
		for _, id := range ids {
			versions[id]++
		}
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			for _, a := range all {
				stored, err := tx.FindAttempt(ctx, a.ID)
				if err != nil {
					return err
				}
				equal(t, "version", stored.Version, versions[a.ID])
			}
			return nil
		})
	}
	every := slices.Collect(maps.Keys(versions))
	succeed(every...)
	succeed(all[0].ID)
	succeed()
	other := maps.Clone(versions)
	other[all[1].ID]++
	refuse(t, db, trowel.ErrConflict, expect(other))
	refuse(t, db, trowel.ErrConflict, expect(map[trowel.AttemptID]int64{all[1].ID: versions[all[1].ID] + 1}))
	refuse(t, db, trowel.ErrConflict, expect(map[trowel.AttemptID]int64{999: 0}))
	some := map[trowel.AttemptID]int64{all[0].ID: versions[all[0].ID], all[1].ID: versions[all[1].ID]}
	for _, known := range []map[trowel.AttemptID]int64{some, versions} { // by a transaction that waits for the lock of one that changes them
		changed, refused := make(chan struct{}), make(chan error, 1)
		tell := sync.OnceFunc(func() { close(changed) })
		go func() {
			<-changed
			refused <- db.Update(t.Context(), func(tx trowel.Tx) error { return expect(known)(t.Context(), tx) })
		}()
		all[1].Version = versions[all[1].ID] + 7
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			err := tx.UpdateAttempts(ctx, all[1])
			for range 100 {
				_, errCount := tx.CountRunningAttempts(ctx)
				err = errors.Join(err, errCount)
				tell() // the database has the change after the reading; the other transaction comes to its lock meanwhile
			}
			return err
		})
		if err := <-refused; !errors.Is(err, trowel.ErrConflict) {
			t.Errorf("attempts as they were before another change: %v, want a conflict", err)
		}
		versions[all[1].ID] = all[1].Version
	}
	succeed(every...)
	all[2].Flags, all[2].FinishedAt = trowel.AttemptDone, at(9)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, all[2]) })
	refuse(t, db, trowel.ErrConflict, expect(versions))
}

func testSettings(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a := newAttempt(t, db, s, "")
	s.Workflow.RevisionID = s.Revision.ID
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAttemptContext(ctx, a.ID)
		equal(t, "FindSetting", got, s)
		if _, err := tx.FindAttemptContext(ctx, 999); !errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("setting of an unknown attempt: %v, want not found", err)
		}
		return err
	})
}
