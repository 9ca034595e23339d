package flush

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Report takes the end of a try. It does not wait for the commit, after which r.Answer is called.
func (f *Flusher) Report(r trowel.Report) {
	f.inbox.submit(&reportRequest{report: engine.Report{Report: r}})
	f.linger.ended(time.Now())
}

// Start begins an attempt and returns once that is written. Too many tasks or attempts are an ErrLimit with
// Digdag's text; a taken name, or a stored attempt that has begun already, is an ErrConflict. If ctx ends
// before, that is an ErrUnavailable, and the attempt will not begin. If a transaction is under way then, it
// is not known whether it will, and the message says so; if it does begin, that is logged. An attempt that
// is too large, but is kept as a failed one, is returned with the ErrLimit.
func (f *Flusher) Start(ctx context.Context, s Start) (*Started, error) {
	r := newStart(s, f.starter)
	err := f.inbox.do(ctx, r)
	if kept, ok := errors.AsType[keptError](err); ok {
		return r.started, kept.error
	}
	if err != nil {
		return nil, err
	}
	return r.started, nil
}

// Begin is Start for callers that do not wait for the end.
func (f *Flusher) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	started, err := f.Start(ctx, a)
	if started == nil {
		return nil, err
	}
	return &trowel.AttemptSummary{Attempt: started.Attempt, Session: started.Session, Project: a.Context.Project}, err
}

// Kill asks all tasks of an attempt to stop, and returns once that is written. For an attempt that has ended
// it returns an ErrConflict with Digdag's text, for an unknown one an ErrNotFound. If ctx ends before, it
// returns an ErrUnavailable: nothing was changed, or the message says that this is not known.
func (f *Flusher) Kill(ctx context.Context, id trowel.AttemptID, actor string) error {
	return f.KillBy(ctx, id, actor, nil)
}

// KillBy is Kill with a record for the audit. What the record is about is filled in.
func (f *Flusher) KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.AuditRecord) error {
	return f.inbox.do(ctx, newKill(id, actor, record))
}

// Barrier returns once everything that was submitted before is written.
func (f *Flusher) Barrier(ctx context.Context) error { return f.inbox.do(ctx, newBarrier()) }

// Resend gives an agent leases again that it does not have although it should: a message was lost, or
// another server had sent it. Tries that it does not hold any more are left out. It returns when that is
// done.
func (f *Flusher) Resend(ctx context.Context, agent string, tries []trowel.TryID) error {
	var rows []trowel.LiveTask
	err := f.store.View(ctx, func(tx trowel.Tx) (err error) {
		rows, err = tx.ListRunningOf(ctx, agent)
		return err
	})
	if err != nil {
		return err
	}
	byAttempt := map[trowel.AttemptID][]trowel.TryID{}
	for _, row := range rows {
		id := trowel.TryID{Task: row.TaskID, Number: row.Try}
		if slices.Contains(tries, id) {
			byAttempt[row.AttemptID] = append(byAttempt[row.AttemptID], id)
		}
	}
	for attempt, list := range byAttempt {
		if err := f.inbox.do(ctx, newResend(attempt, list, f.agents)); err != nil {
			return fmt.Errorf("give tries of attempt %d again: %w", attempt, err)
		}
	}
	return nil
}
