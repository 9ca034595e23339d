package trowel

import (
	"context"
	"time"
)

// Pause says that a workflow is paused: nothing new of it begins (control K816).
type Pause struct {
	ProjectID ProjectID
	Workflow  string
	At        time.Time
	Actor     string
	Note      string
}

// AdmissionTx is the part of a transaction about attempts that wait before they begin.
type AdmissionTx interface {
	// PutPause pauses a workflow; one that is paused already stays as it is, which is an ErrConflict.
	PutPause(ctx context.Context, p *Pause) error
	// DeletePause ends it; one that is not paused is an ErrNotFound.
	DeletePause(ctx context.Context, project ProjectID, workflow string) error
	// FindPause returns the pause of a workflow; ErrNotFound if it is not paused.
	FindPause(ctx context.Context, project ProjectID, workflow string) (*Pause, error)
	ListPauses(ctx context.Context) ([]*Pause, error)
	// CountAdmitted returns how many attempts of a workflow are admitted and not done. Those of a
	// backfill that wait for their turn are not admitted.
	CountAdmitted(ctx context.Context, project ProjectID, workflow string) (int, error)
	// ListWaiting returns up to limit attempts of a workflow that wait with a WaitReason, in the order
	// in which they are admitted: by session time, those of backfills last.
	ListWaiting(ctx context.Context, project ProjectID, workflow string, limit int) ([]AttemptID, error)
	// ListWaitingWorkflows returns the workflows that have such attempts.
	ListWaitingWorkflows(ctx context.Context) ([]WorkflowName, error)
}

// WorkflowName names a workflow of a project in all its revisions.
type WorkflowName struct {
	ProjectID ProjectID
	Name      string
}
