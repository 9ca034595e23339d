package launch

import (
	"context"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// Causes of attempts.
const (
	CauseStart    = "start"    // a request
	CauseRetry    = "retry"    // a request that names an earlier attempt
	CauseRequire  = "require"  // a require> of another attempt
	CauseSchedule = "schedule" // a schedule
	CauseBackfill = "backfill" // a backfill
)

// Flusher begins attempts. A flush.Flusher is one.
type Flusher interface {
	// Begin stores an attempt and begins it. A taken name is an ErrTaken; too many attempts or tasks are an ErrLimit. An
	// attempt that is too large but was stored anyway is returned together with the ErrLimit.
	Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error)
}

// Launcher begins attempts of stored workflows. All fields are required. It is safe for concurrent
// use.
type Launcher struct {
	Store   trowel.Store
	Flusher Flusher
	Now     func() time.Time
}

// Request asks for an attempt.
type Request struct {
	WorkflowID  trowel.WorkflowID
	SessionTime time.Time // truncated to seconds
	RetryName   string    // empty for the unnamed attempt of the session
	Resume      *Resume   // nil to run everything
	Params      *param.Map
	Cause       string // one of the Cause constants
	Actor       string // who asks
	// Record is stored with the attempt as its entry in the audit; nil for none. Its object is filled in.
	Record *trowel.AuditRecord
}

// Start begins an attempt and returns it once it is stored. Errors: *TakenError if the name is taken, ErrNotFound for an
// unknown workflow, an unknown source of a resume or a deleted project, ErrLimit for limits, and ErrInvalid for a wrong
// request or workflow.
func (l *Launcher) Start(ctx context.Context, r Request) (*trowel.AttemptSummary, error) {
	a, err := l.prepare(ctx, &r)
	if err != nil {
		return nil, err
	}
	return l.Begin(ctx, *a)
}

// prepare works out an attempt.
func (l *Launcher) prepare(ctx context.Context, r *Request) (*engine.NewAttempt, error) {
	if err := checkGiven(r.RetryName, "attempt request"); err != nil {
		return nil, err
	}
	var d *trowel.Definition
	var resumed []*trowel.Task
	err := l.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if d, err = FindDefinition(ctx, tx, r.WorkflowID); err != nil {
			return err
		}
		resumed, err = r.Resume.tasks(ctx, tx, d.Project.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	plan, err := NewPlan(*d)
	if err != nil {
		return nil, err
	}
	a := plan.Attempt(r.SessionTime, r.RetryName, r.Params, time.Time{})
	a.Attempt.Cause, a.Attempt.Actor = r.Cause, r.Actor
	a.Resumed, a.SLATimer, a.Record = resumed, plan.SLATimer(l.Now()), r.Record
	return &a, nil
}

// Begin begins an attempt that a Plan made. A taken name is a *TakenError. Limits are an ErrLimit; an attempt that was
// stored although it is too large is returned with it.
func (l *Launcher) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	begun, err := l.Flusher.Begin(ctx, a)
	if !errors.Is(err, trowel.ErrTaken) {
		return begun, err
	}
	existing, err := l.existing(ctx, &a)
	if err != nil {
		return nil, fmt.Errorf("find the attempt whose name is taken: %w", err)
	}
	return nil, &TakenError{Existing: existing}
}

// existing finds the attempt that has the name already; for the unnamed attempt, the newest of the session (language
// A3).
func (l *Launcher) existing(ctx context.Context, a *engine.NewAttempt) (existing *trowel.AttemptSummary, err error) {
	s := &a.Context.Session
	err = l.Store.View(ctx, func(tx trowel.Tx) error {
		latest, err := tx.FindLatestAttempt(ctx, s.ProjectID, s.Workflow, s.Time, a.Attempt.Name)
		if err != nil {
			return err
		}
		existing, err = tx.FindAttemptSummary(ctx, latest.ID)
		return err
	})
	return existing, err
}

// FindDefinition returns a stored workflow of a live project. Otherwise it returns an ErrNotFound with Digdag's text
// (server 2.5).
func FindDefinition(ctx context.Context, tx trowel.Tx, id trowel.WorkflowID) (*trowel.Definition, error) {
	d, err := tx.FindDefinition(ctx, id)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		return nil, trowel.NotFound("workflow id=%d", id)
	case err != nil:
		return nil, err
	case !d.Project.DeletedAt.IsZero():
		// Digdag quirk, server 2.6.7: the braces are never filled in.
		return nil, &trowel.Error{
			Kind: trowel.ErrNotFound, Message: "Project id={} name={} is already deleted",
			Hint: fmt.Sprintf("push project %q again", d.Project.Name),
		}
	}
	return d, nil
}
