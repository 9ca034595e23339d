package flush

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// understood returns an ErrUnknown if a later version has written an attempt, or one of its tasks, in a way that the
// engine does not know.
func understood(row *trowel.Attempt, tasks []*trowel.Task) error {
	err := trowel.CheckKnown(row.ID, row.Flags)
	for i := 0; i < len(tasks) && err == nil; i++ {
		err = trowel.CheckKnownTask(tasks[i])
	}
	return err
}

// leave leaves an attempt alone that is not understood. Of a new reason the log tells once. The attempt is read anew
// after a while, and when somebody has changed it.
func (f *Flusher) leave(ctx context.Context, id trowel.AttemptID, version int64, why error) {
	a := f.images.know(id)
	if a.left == nil || a.left.Error() != why.Error() {
		f.opts.Log.WarnContext(ctx, "attempt left alone", slog.Int64("attempt_id", int64(id)), slog.Any("error", why))
		if f.opts.LeftAlone != nil {
			f.opts.LeftAlone()
		}
	}
	a.left, a.version = why, version
	f.timers.drop(a)
	f.forget(id)
}

// keptOff reports whether an event is of an attempt that is left alone, and answers it then. The report of a try that
// nobody else keeps comes again.
func (f *Flusher) keptOff(a *attempt, ev *event) bool {
	if a == nil || a.left == nil {
		return false
	}
	if report, ok := ev.what.(engine.Report); ok && report.Answer == nil {
		time.AfterFunc(putAside, func() { f.submit(ev) })
	} else {
		ev.err = a.left
	}
	return true
}
