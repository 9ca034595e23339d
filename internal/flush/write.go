package flush

import (
	"context"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// write gathers what one transaction stores: several moves of one task become one row.
type write struct {
	at      time.Time
	locked  []trowel.AttemptID
	batch   Batch
	claimed []claimed

	touched []*engine.Image // in the order in which they were first changed
	seen    map[*engine.Image]bool
	inserts []*trowel.Task
	updates []trowel.TaskUpdate
	rows    map[*trowel.Task]int // place in updates, or -1 for an insert
	audits  []trowel.Audit
}

type claimed struct {
	img  *engine.Image
	task trowel.TaskID
}

func newWrite(at time.Time) *write {
	return &write{at: at, batch: Batch{At: at}, seen: map[*engine.Image]bool{}, rows: map[*trowel.Task]int{}}
}

// begin records the start of an attempt.
func (w *write) begin(img *engine.Image, actor string) {
	w.touch(img)
	a := &img.Attempt
	w.audits = append(w.audits, trowel.Audit{At: w.at, AttemptID: a.ID, To: a.Flags.Status(), Cause: a.Cause, Actor: actor})
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
		w.audits = append(w.audits, trowel.Audit{At: w.at, AttemptID: a.ID, From: "running", To: a.Flags.Status(), Cause: "end", Actor: actor})
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
	w.audits = append(w.audits, trowel.Audit{
		At: w.at, AttemptID: c.Task.AttemptID, TaskID: c.Task.ID, Try: c.Task.Try,
		From: c.From.String(), To: c.To.String(), Cause: string(c.Move), Actor: actor,
	})
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
