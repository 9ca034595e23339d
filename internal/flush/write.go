package flush

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// write gathers what one transaction stores: several moves of one task become one row.
type write struct {
	at      time.Time
	locked  []trowel.AttemptID // the attempts in it
	begun   []trowel.AttemptID // those of them that it inserted
	mark    int64              // a random number for the transaction, kept in the audit
	batch   Batch
	claimed []claimed

	touched []*engine.Image // in the order in which they were first changed
	seen    map[*engine.Image]bool
	inserts []*trowel.Task
	updates []trowel.TaskUpdate
	rows    map[*trowel.Task]int // place in updates, or -1 for an insert
	audits  []trowel.Audit
	waiting []*trowel.Task // whose timer rang too early
}

type claimed struct {
	img  *engine.Image
	task trowel.TaskID
}

func newWrite(at time.Time) *write {
	return &write{
		at: at, mark: rand.Int64(), batch: Batch{At: at}, //nolint:gosec // to be told apart, not to be secret
		seen: map[*engine.Image]bool{}, rows: map[*trowel.Task]int{},
	}
}

// begin records the start of an attempt.
func (w *write) begin(img *engine.Image, actor string) {
	w.touch(img)
	a := &img.Attempt
	w.audit(trowel.Audit{AttemptID: a.ID, To: a.Flags.Status(), Cause: a.Cause, Actor: actor})
}

// touch gives an image the version of this transaction.
func (w *write) touch(img *engine.Image) {
	if w.seen[img] {
		return
	}
	w.seen[img] = true
	w.touched = append(w.touched, img)
	img.Attempt.Version++
}

// add takes what an event led to.
func (w *write) add(img *engine.Image, applied engine.Applied, actor string) {
	w.batch.Warnings = append(w.batch.Warnings, applied.Warnings...)
	if len(applied.Changes) == 0 {
		return
	}
	w.touch(img)
	w.batch.Changes = append(w.batch.Changes, applied.Changes...)
	w.batch.Tries = append(w.batch.Tries, applied.Tries...)
	for i := range applied.Changes {
		w.change(&applied.Changes[i], img.Attempt.Version, actor)
	}
	if applied.Ended {
		a := img.Attempt
		w.batch.Ended = append(w.batch.Ended, a)
		w.audit(trowel.Audit{AttemptID: a.ID, From: "running", To: a.Flags.Status(), Cause: "end", Actor: actor})
	}
}

func (w *write) change(c *engine.Change, version int64, actor string) {
	at, known := w.rows[c.Task]
	c.Task.Version = version
	switch {
	case c.New:
		w.rows[c.Task] = -1
		w.inserts = append(w.inserts, c.Task)
		return // the row itself says that it was made
	case !known:
		w.rows[c.Task] = len(w.updates)
		w.updates = append(w.updates, trowel.TaskUpdate{Task: c.Task, From: c.From, Detail: c.Detail})
	case at >= 0 && c.Detail:
		w.updates[at].Detail = true
	}
	w.audit(trowel.Audit{
		AttemptID: c.Task.AttemptID, TaskID: c.Task.ID, Try: c.Task.Try,
		From: c.From.String(), To: c.To.String(), Cause: string(c.Move), Actor: actor,
	})
}

// keepWaiting notes a task whose timer rang before its instant, as after a step of the clock: it
// needs another. row is nil if there is no such task.
func (w *write) keepWaiting(row *trowel.Task) {
	if row != nil && row.RetryAt.After(w.at) {
		w.waiting = append(w.waiting, row)
	}
}

func (w *write) audit(e trowel.Audit) {
	e.At, e.Batch = w.at, w.mark
	w.audits = append(w.audits, e)
}

// happened tells whether the transaction was committed, although its writer was told otherwise. It
// locks what the transaction had locked, so that one that is still being committed comes to its end.
func (w *write) happened(ctx context.Context, tx trowel.Tx) (bool, error) {
	if len(w.audits) == 0 {
		return false, nil // it changed nothing
	}
	if _, err := tx.LockAttempts(ctx, w.locked); err != nil {
		return false, err
	}
	return tx.HasBatch(ctx, w.audits[0].AttemptID, w.mark)
}

// store writes everything, one statement for each kind of change.
func (w *write) store(ctx context.Context, tx trowel.Tx) error {
	for _, img := range w.touched {
		if err := tx.UpdateAttempt(ctx, &img.Attempt); err != nil {
			return err
		}
	}
	if err := tx.InsertTasks(ctx, w.inserts); err != nil {
		return err
	}
	if err := tx.UpdateTasks(ctx, w.updates); err != nil {
		return err
	}
	if err := tx.InsertTries(ctx, w.batch.Tries); err != nil {
		return err
	}
	if err := tx.InsertAudits(ctx, w.audits); err != nil {
		return err
	}
	return w.archive(ctx, tx)
}

// archive puts the tasks of ended attempts away.
func (w *write) archive(ctx context.Context, tx trowel.Tx) error {
	for _, img := range w.touched {
		if !img.Done() {
			continue
		}
		if err := tx.ArchiveTasks(ctx, img.Attempt.ID, img.List(), w.at); err != nil {
			return fmt.Errorf("end attempt %d: %w", img.Attempt.ID, err)
		}
	}
	return nil
}

// canceled lists the running tasks that were asked to stop.
func (w *write) canceled() []trowel.TaskID {
	var ids []trowel.TaskID
	for _, c := range w.batch.Changes {
		if c.Move == trowel.MoveCancel && c.To == trowel.TaskRunning {
			ids = append(ids, c.Task.ID)
		}
	}
	return ids
}
