package storetest

import (
	"context"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Values of some megabytes are stored completely.
func testLargeValues(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	text := strings.Repeat("0123456789 \u00e4\"\n", 200_000)
	wide := param.New()
	for i := range 20_000 {
		wide.Set("key"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+param.JSON(int64(i)), int64(i))
	}
	row := fullTask(a, 1)
	row.Local, row.Result.Store, row.Error = param.Of("text", text), wide, param.Of("message", text)
	insertTasks(t, db, row)
	equal(t, "tasks with large values", listTasks(t, db, a), []*trowel.Task{row})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.ArchiveTasks(ctx, at(1), trowel.EndedTasks{AttemptID: a.ID, Tasks: []*trowel.Task{row}})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListArchivedTasks(ctx, a.ID)
		equal(t, "archived tasks with large values", got, []*trowel.Task{row})
		return err
	})
}

// Texts of programs may contain anything. What is not UTF-8 becomes U+FFFD, as in JSON, and so does NUL, which
// PostgreSQL cannot store.
func testOddTexts(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	row := newTask(a, 1)
	row.Error = param.Of("message", "bad \xff\xfe byte \x00 and \x1b[31m colour")
	row.WaitReason, row.AgentID = "a\xffb", "a\x00b"
	try := trowel.Try{
		AttemptID: a.ID, TaskID: 1, Number: 1, FullName: "+w+\xc3(", EndedAt: at(1), Exit: trowel.ExitError,
		LastLines: []string{"caf\xe9", "\x00\x00", "ok \u00e9", "return\r"},
	}
	audit := trowel.AuditEntry{At: at(1), AttemptID: a.ID, To: "running", Cause: "run", Actor: "some\xffone"}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		if err := tx.InsertTasks(ctx, []*trowel.Task{row}); err != nil {
			return err
		}
		if err := tx.InsertTries(ctx, []trowel.Try{try}); err != nil {
			return err
		}
		return tx.InsertAudits(ctx, []trowel.AuditEntry{audit})
	})
	row.Error = param.Of("message", "bad \ufffd\ufffd byte \x00 and \x1b[31m colour")
	row.WaitReason, row.AgentID = "a\ufffdb", "a\ufffdb"
	try.FullName, try.LastLines = "+w+\ufffd(", []string{"caf\ufffd", "\ufffd\ufffd", "ok \u00e9", "return\r"}
	audit.Actor = "some\ufffdone"
	equal(t, "tasks with odd texts", listTasks(t, db, a), []*trowel.Task{row})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		tries, err := tx.ListTries(ctx, a.ID)
		if err != nil {
			return err
		}
		equal(t, "tries with odd texts", tries, []trowel.Try{try})
		audits, err := tx.ListAudits(ctx, a.ID)
		equal(t, "audit with odd texts", audits, []trowel.AuditEntry{audit})
		return err
	})
}
