package trowel

import (
	"context"
	"time"
)

// Reasons why an attempt waits before it begins (control K813, K816).
const (
	WaitAttemptsLimit  = "attempts_limit"  // the workflow has as many attempts as it allows
	WaitWorkflowPaused = "workflow_paused" // the workflow is paused
)

// WaitEvaluating is the WaitReason of a blocked task whose options are being evaluated (control K109).
const WaitEvaluating = "evaluating"

// Pause says that a workflow is paused: none of its attempts begins (control K816).
type Pause struct {
	ProjectID ProjectID // the project of the workflow
	Workflow  string    // the name of the workflow
	At        time.Time // when it was paused
	Actor     string    // who paused it
	Note      string    // what they wrote about the reason; empty for none
}

// AdmissionTx is the part of a transaction about attempts that wait before they begin.
type AdmissionTx interface {
	// PutPause pauses a workflow. If it is paused already, nothing changes and there is an ErrConflict.
	PutPause(ctx context.Context, p *Pause) error
	// DeletePause ends the pause of a workflow. If it is not paused, there is an ErrNotFound.
	DeletePause(ctx context.Context, project ProjectID, workflow string) error
	// FindPause returns the pause of a workflow, or ErrNotFound if it is not paused.
	FindPause(ctx context.Context, project ProjectID, workflow string) (*Pause, error)
	// ListPauses returns all pauses.
	ListPauses(ctx context.Context) ([]*Pause, error)
	// CountAdmitted returns how many attempts of a workflow are admitted and not done. Attempts of a
	// backfill that wait for their turn are not admitted.
	CountAdmitted(ctx context.Context, project ProjectID, workflow string) (int, error)
	// ListWaiting returns up to limit attempts of a workflow that wait with a WaitReason, in the order
	// in which they will be admitted: by session time, those of backfills last.
	ListWaiting(ctx context.Context, project ProjectID, workflow string, limit int) ([]AttemptID, error)
	// ListWaitingWorkflows returns the workflows that have attempts which wait with a WaitReason.
	ListWaitingWorkflows(ctx context.Context) ([]WorkflowName, error)
}
