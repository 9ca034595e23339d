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

// Report takes the end of a try. It does not wait for the commit; r.Answer is told of it.
func (f *Flusher) Report(r trowel.Report) {
	f.inbox.submit(&reportRequest{report: engine.Report{Report: r}})
	f.linger.ended(time.Now())
}

// Start begins an attempt and returns once that is written. Too many tasks or attempts are an
// ErrLimit with Digdag's text; a taken name, or a stored attempt that has begun already, is an
// ErrConflict. If ctx ends before, that is an ErrUnavailable: the attempt will not begin, or, if a
// transaction was under way, it is not known, which the message says; an attempt that begins then is
// told in the log. An attempt that is kept although it is too large comes with the ErrLimit.
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

// Begin is Start for those who do not wait for the end.
func (f *Flusher) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	started, err := f.Start(ctx, a)
	if started == nil {
		return nil, err
	}
	return &trowel.AttemptSummary{Attempt: started.Attempt, Session: started.Session, Project: a.Setting.Project}, err
}

// Kill asks all tasks of an attempt to stop, and returns once that is written. One that is done is
// an ErrConflict with Digdag's text, one that is unknown an ErrNotFound. If ctx ends before, that is
// an ErrUnavailable: nothing was done, or, if the message says so, it is not known.
func (f *Flusher) Kill(ctx context.Context, id trowel.AttemptID, actor string) error {
	return f.KillBy(ctx, id, actor, nil)
}

// KillBy is Kill with a record for the audit. What the record is about is filled in.
func (f *Flusher) KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.Record) error {
	return f.inbox.do(ctx, newKill(id, actor, record))
}

// Barrier returns once everything that was submitted before is written.
func (f *Flusher) Barrier(ctx context.Context) error { return f.inbox.do(ctx, newBarrier()) }

// Resend gives tries of an agent again that it was given before but does not have: the message was lost, or
// another server gave them. Those that are not its own any more are left out. It returns when that is done.
func (f *Flusher) Resend(ctx context.Context, agent string, tries []trowel.TryID) error {
	var rows []trowel.LiveTask
	err := f.committer.store.View(ctx, func(tx trowel.Tx) (err error) {
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
