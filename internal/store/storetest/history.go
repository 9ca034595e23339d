package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// The tasks of an ended attempt move into its archive with all their fields.
func testArchives(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	want := []*trowel.Task{newTask(a, 1), fullTask(a, 2), {ID: 3, AttemptID: a.ID, FullName: "+w+bare"}}
	insertTasks(t, db, newTask(a, 1), fullTask(a, 2), newTask(other, 4))
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.ArchiveTasks(ctx, at(30), trowel.EndedTasks{AttemptID: a.ID, Tasks: want})
	})
	equal(t, "number of live tasks", len(listTasks(t, db, a)), 0)
	equal(t, "number of live tasks of the other attempt", len(listTasks(t, db, other)), 1)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListArchivedTasks(ctx, a.ID)
		equal(t, "ListArchivedTasks", got, want)
		if _, err := tx.ListArchivedTasks(ctx, other.ID); !errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("archive of a running attempt: %v, want not found", err)
		}
		some, errSome := tx.FindArchivedTasks(ctx, a.ID, []trowel.TaskID{3, 4, 0, 2})
		equal(t, "FindArchivedTasks", some, want[1:])
		none, errNone := tx.FindArchivedTasks(ctx, other.ID, []trowel.TaskID{4})
		equal(t, "FindArchivedTasks of a running attempt", len(none), 0)
		return errors.Join(err, errSome, errNone)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.ArchiveTasks(ctx, at(31), trowel.EndedTasks{AttemptID: a.ID, Tasks: want})
	})
}

// Many attempts end at once: those with few tasks, with many and with none.
func testManyEnds(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	var attempts []*trowel.Attempt
	var ended []trowel.EndedTasks
	for i, size := range []int{1, 0, 700, 499, 2, 1200, 3} {
		a := newAttempt(t, db, s, fmt.Sprint("a", i))
		var tasks []*trowel.Task
		for n := range size {
			tasks = append(tasks, newTask(a, trowel.TaskID(i*10000+n+1)))
		}
		insertTasks(t, db, tasks...)
		a.Version, a.Flags, a.FinishedAt = 7, trowel.AttemptDone, at(int64(i+1))
		attempts, ended = append(attempts, a), append(ended, trowel.EndedTasks{AttemptID: a.ID, Tasks: tasks})
	}
	other := newAttempt(t, db, s, "other")
	insertTasks(t, db, newTask(other, 90000))
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.UpdateAttempts(ctx), tx.UpdateAttempts(ctx, attempts...), tx.ArchiveTasks(ctx, at(30)), tx.ArchiveTasks(ctx, at(30), ended...))
	})
	equal(t, "number of live tasks of the other attempt", len(listTasks(t, db, other)), 1)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		some, err := tx.FindArchivedTasks(ctx, attempts[5].ID, []trowel.TaskID{50001, 50500, 50501, 51200, 51201, 1})
		equal(t, "FindArchivedTasks of several parts", some, []*trowel.Task{ended[5].Tasks[0], ended[5].Tasks[499], ended[5].Tasks[500], ended[5].Tasks[1199]})
		none, errNone := tx.FindArchivedTasks(ctx, attempts[1].ID, []trowel.TaskID{1})
		equal(t, "FindArchivedTasks of an empty archive", len(none), 0)
		return errors.Join(err, errNone)
	})
	for _, a := range attempts {
		equal(t, "number of live tasks", len(listTasks(t, db, a)), 0)
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		var errs []error
		for i, a := range attempts {
			got, err := tx.FindAttempt(ctx, a.ID)
			equal(t, "FindAttempt", got, a)
			tasks, errTasks := tx.ListArchivedTasks(ctx, a.ID)
			equal(t, "ListArchivedTasks", tasks, ended[i].Tasks)
			errs = append(errs, err, errTasks)
		}
		return errors.Join(errs...)
	})
}

func testTries(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	var want []trowel.Try
	for i := range 20 {
		want = append(want, trowel.Try{
			AttemptID: a.ID, TaskID: trowel.TaskID(100 - i), Number: i + 1, FullName: fmt.Sprintf("+w+t%d", i), EndedAt: at(int64(i)), Exit: trowel.ExitSuccess,
		})
	}
	want[3].AgentID, want[3].ReadyAt, want[3].ClaimedAt, want[3].StartedAt = "agent", at(1), at(2), at(3)
	want[3].Exit, want[3].LastLines = trowel.ExitError, []string{"first", "", "  last \t"}
	want[4].LastLines = []string{""}
	want[5].LastLines = []string{"", ""}
	want[6].Links = []trowel.Link{{Name: "job <1>", URL: "https://example.com/1?a=b&c=ü"}, {Name: "log", URL: "http://localhost/"}}
	want[6].Usage = trowel.Usage{PeakMemory: 1 << 40, CPUTime: 1500 * time.Microsecond, BytesWritten: 3}
	want[9].Usage.CPUTime = time.Hour
	want[12].Links = want[6].Links[1:]
	foreign := trowel.Try{AttemptID: other.ID, TaskID: 1, Number: 1, FullName: "+w", EndedAt: at(1), Exit: trowel.ExitPoll}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertTries(ctx, want[:1]), tx.InsertTries(ctx, nil), tx.InsertTries(ctx, []trowel.Try{foreign}), tx.InsertTries(ctx, want[1:]))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListTries(ctx, a.ID)
		equal(t, "ListTries", got, want)
		one, errOne := tx.FindTry(ctx, a.ID, trowel.TryID{Task: want[3].TaskID, Number: want[3].Number})
		equal(t, "FindTry", one, &want[3])
		telling, errTelling := tx.ListTellingTries(ctx, a.ID)
		equal(t, "ListTellingTries", telling, []trowel.Try{want[12], want[9], want[6]})
		_, errNumber := tx.FindTry(ctx, a.ID, trowel.TryID{Task: want[3].TaskID, Number: 99})
		_, errAttempt := tx.FindTry(ctx, other.ID, trowel.TryID{Task: want[3].TaskID, Number: want[3].Number})
		wantNotFound(t, map[string]error{"try of another number": errNumber, "try of another attempt": errAttempt})
		return errors.Join(err, errOne, errTelling)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertTries(ctx, want[7:8]) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertTries(ctx, want[6:7]) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertTries(ctx, []trowel.Try{{AttemptID: 999, TaskID: 1, Number: 1, FullName: "+w", EndedAt: at(1), Exit: trowel.ExitPoll}})
	})
}

func testAudits(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	want := []trowel.AuditEntry{{At: at(1), AttemptID: a.ID, To: "running", Cause: "run", Actor: "somebody"}}
	for i := range 40 {
		want = append(want, trowel.AuditEntry{
			At: at(int64(i / 3)), AttemptID: a.ID, TaskID: trowel.TaskID(1 + i%5), Try: i, From: "ready", To: "running", Cause: string(trowel.TransitionClaim),
			Actor: []string{"agent", "engine", "o'hara; \"x\"\n\u00e4"}[i%3], Batch: int64(1+i/2) << 40,
		})
	}
	foreign := trowel.AuditEntry{At: at(1), AttemptID: other.ID, To: "running", Cause: "run", Actor: "somebody"}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		mixed := append([]trowel.AuditEntry{want[0], foreign}, want[1:30]...)
		return errors.Join(tx.InsertAudits(ctx, nil), tx.InsertAudits(ctx, mixed))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAudits(ctx, want[30:]) })
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListAudits(ctx, a.ID)
		equal(t, "ListAudits", got, want)
		theirs, errOther := tx.ListAudits(ctx, other.ID)
		equal(t, "audit of the other attempt", theirs, []trowel.AuditEntry{foreign})
		for batch, want := range map[int64]bool{1 << 40: true, 16 << 40: true, 99: false} {
			has, err := tx.HasBatch(ctx, a.ID, batch)
			equal(t, "HasBatch", has, want)
			elsewhere, errOther := tx.HasBatch(ctx, other.ID, batch)
			equal(t, "HasBatch of the other attempt", elsewhere, false)
			if err := errors.Join(err, errOther); err != nil {
				return err
			}
		}
		return errors.Join(err, errOther)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertAudits(ctx, []trowel.AuditEntry{{At: at(1), AttemptID: 999, To: "running", Cause: "run", Actor: "somebody"}})
	})
}
