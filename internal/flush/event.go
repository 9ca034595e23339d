package flush

import (
	"context"
	"fmt"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// event is a cause of changes on its way to the next transaction.
type event struct {
	attempt  trowel.AttemptID
	what     engine.Event        // nil if the attempt is only looked at, see look
	start    *Start              // instead of what
	limit    bool                // instead of what: a limit of time may have passed
	admit    bool                // instead of what: the attempt may be admitted
	resend   []trowel.TryID      // instead of what: leases to be given again
	workflow trowel.WorkflowName // of an attempt to admit
	more     bool                // others of the workflow may wait as well
	started  *Started
	actor    string
	record   *trowel.Record // what the audit tells of who asked, if it changes something; nil for nothing

	done  chan error // nil if nobody waits
	err   error      // what the waiting one is told after the commit
	stale bool       // it changed nothing
	stage atomic.Uint32
	// abandoned tells that the caller has gone while the event was in a transaction.
	abandoned atomic.Bool
}

// Stages of an event that somebody waits for.
const (
	waiting  = iota // for a transaction
	flushing        // in a transaction, or in one of which nobody knows yet whether it was committed
	left            // its caller has gone: it was not in a transaction, and will not be
)

// enter is called before an event goes into a transaction. It reports whether its caller still waits.
func (ev *event) enter() bool { return ev.stage.CompareAndSwap(waiting, flushing) }

// leave is called when the transaction surely did not happen: the caller may leave again.
func (ev *event) leave() { ev.stage.CompareAndSwap(flushing, waiting) }

func (ev *event) resolve(err error) {
	if ev.done != nil {
		ev.done <- err
	}
	if report, ok := ev.what.(engine.Report); ok && report.Answer != nil {
		if err == nil && ev.stale {
			err = fmt.Errorf("%w: try %d of task %d is not the present one", trowel.ErrConflict, report.Try, report.TaskID)
		}
		report.Answer(err)
	}
}

// wait waits until an event is written. If ctx ends before, the event is withdrawn, unless it is in
// a transaction already: then it may happen all the same, which the error says.
func (f *Flusher) wait(ctx context.Context, ev *event) error {
	select {
	case err := <-ev.done:
		return err
	case <-ctx.Done():
	}
	if ev.stage.CompareAndSwap(waiting, left) {
		return &trowel.Error{
			Kind: trowel.ErrUnavailable, Message: f.notWritten() + "; nothing was changed",
			Hint: "try again later", Err: context.Cause(ctx),
		}
	}
	ev.abandoned.Store(true)
	select {
	case err := <-ev.done:
		return err
	default:
	}
	return &trowel.Error{
		Kind: trowel.ErrUnavailable, Message: f.notWritten() + "; it is not known whether the change was made",
		Hint: "look whether it was made before you try again", Err: context.Cause(ctx),
	}
}

// notWritten is why an event was not written in time, as far as that is known.
func (f *Flusher) notWritten() string {
	if reason := f.failing.Load(); reason != nil {
		return "the database could not write it: " + (*reason).Error()
	}
	return "the database did not answer in time"
}
