package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// lineOf returns the line of a task whose operator and bodies are known.
func lineOf(t *trowel.Task, operator string, bodies int) *trowel.TaskLine {
	return &trowel.TaskLine{
		ID: t.ID, ParentID: t.ParentID, FullName: t.FullName, Group: t.Group, Operator: operator, Bodies: bodies, Place: t.Origin.Place,
		Upstreams: t.Upstreams, State: t.State, Flags: t.Flags, Round: t.Round, ParentRound: t.ParentRound, Try: t.Try, WaitReason: t.WaitReason,
		RetryAt: t.RetryAt, ReadyAt: t.ReadyAt, ClaimedAt: t.ClaimedAt, StartedAt: t.StartedAt, UpdatedAt: t.UpdatedAt, AgentID: t.AgentID,
		ResumingID: t.ResumingID,
	}
}

// Lines are the same whether tasks are live or archived, and name the operator as the agent finds it.
func testTaskLines(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	full, plain, typed, loop, one, strange := fullTask(a, 1), newTask(a, 2), newTask(a, 3), newTask(a, 4), newTask(a, 5), newTask(a, 6)
	plain.Local = param.Of("x", param.Of("sh>", 1), "sh>", "echo", "py>", "no")
	typed.Local = param.Of("sh>", "no", "_type", "echo")
	loop.Local = param.Of("for_each>", 1, "_do", param.Of("+a", param.New(), "_export", param.Of("+x", 1), "+b", param.Of("+c", 1)))
	one.Local = param.Of("if>", true, "_do", param.Of("echo>", 1), "_else_do", param.Of("+a", 1))
	strange.Local, strange.FullName = param.Of("\"\u00e4\">", 1), "+w+\"\u00e4\\\u4e16\n"
	want := []*trowel.TaskLine{
		lineOf(full, "", 0), lineOf(plain, "sh", 0), lineOf(typed, "echo", 0), lineOf(loop, "for_each", 2), lineOf(one, "if", 2), lineOf(strange, "\"\u00e4\"", 0),
	}
	rows := []*trowel.Task{full, plain, typed, loop, one, strange}
	insertTasks(t, db, append([]*trowel.Task{newTask(other, 7)}, rows...)...)
	stop := errors.New("enough")
	list := func(each func(f func(*trowel.TaskLine) error) error) (got []*trowel.TaskLine) {
		if err := each(func(row *trowel.TaskLine) error { got = append(got, row); return nil }); err != nil {
			t.Error(err)
		}
		if err := each(func(*trowel.TaskLine) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("the error of f becomes %v", err)
		}
		return got
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		equal(t, "EachTaskLine", list(func(f func(*trowel.TaskLine) error) error { return tx.EachTaskLine(ctx, a.ID, 0, f) }), want)
		equal(t, "EachTaskLine after one", list(func(f func(*trowel.TaskLine) error) error { return tx.EachTaskLine(ctx, a.ID, 4, f) }), want[4:])
		found, err := tx.FindTaskLines(ctx, a.ID, []trowel.TaskID{5, 7, 3, 5})
		equal(t, "FindTaskLines", found, []*trowel.TaskLine{want[2], want[4]})
		few, errFew := tx.HasFewTasks(ctx, a.ID, 6)
		many, errMany := tx.HasFewTasks(ctx, a.ID, 5)
		equal(t, "HasFewTasks", []bool{few, many}, []bool{true, false})
		err = errors.Join(err, errFew, errMany)
		errNone := tx.EachArchivedLine(ctx, a.ID, func(*trowel.TaskLine) error { return nil })
		if !errors.Is(errNone, trowel.ErrNotFound) {
			t.Errorf("EachArchivedLine without an archive: %v", errNone)
		}
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.ArchiveTasks(ctx, at(30), trowel.EndedTasks{AttemptID: a.ID, Tasks: rows})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		equal(t, "EachArchivedLine", list(func(f func(*trowel.TaskLine) error) error { return tx.EachArchivedLine(ctx, a.ID, f) }), want)
		return nil
	})
	testTriesAmong(t, db, a, other)
}

// testTriesAmong checks tries of some tasks, and the end of the audit.
func testTriesAmong(t *testing.T, db trowel.Store, a, other *trowel.Attempt) {
	t.Helper()
	try := func(of *trowel.Attempt, task trowel.TaskID, number int) trowel.Try {
		return trowel.Try{AttemptID: of.ID, TaskID: task, Number: number, FullName: "+w", EndedAt: at(int64(20 - number)), Exit: trowel.ExitSuccess}
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		entry := trowel.AuditEntry{At: time.UnixMicro(1), AttemptID: a.ID, TaskID: 1, To: "ready", Cause: "x", Actor: "y"}
		return errors.Join(tx.InsertTries(ctx, []trowel.Try{try(a, 5, 1), try(a, 2, 2), try(a, 2, 1), try(a, 3, 1), try(other, 7, 1)}),
			tx.InsertAudits(ctx, []trowel.AuditEntry{entry}))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		tries, err := tx.ListTriesAmong(ctx, a.ID, []trowel.TaskID{5, 2, 7, 2})
		equal(t, "ListTriesAmong", tries, []trowel.Try{try(a, 2, 1), try(a, 2, 2), try(a, 5, 1)})
		rows, errRows := tx.ListAuditRows(ctx, a.ID, 0, false, 10)
		last, errLast := tx.FindLastAudit(ctx, a.ID)
		equal(t, "FindLastAudit", last, rows[len(rows)-1].ID)
		none, errNone := tx.FindLastAudit(ctx, other.ID)
		equal(t, "FindLastAudit without entries", none, int64(0))
		return errors.Join(err, errRows, errLast, errNone)
	})
}
