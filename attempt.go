package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// AttemptFlags are the state of an attempt, with Digdag's bits (language X6). A later version may have others, see
// CheckKnown.
type AttemptFlags uint16

const (
	// AttemptCancelRequested is set by a kill.
	AttemptCancelRequested AttemptFlags = 1
	// AttemptDone is set when the root task is done.
	AttemptDone AttemptFlags = 2
	// AttemptSuccess is set with AttemptDone if the root task succeeded.
	AttemptSuccess AttemptFlags = 4
)

// Status returns the word that people see: running, success, killed or error.
func (f AttemptFlags) Status() string {
	switch {
	case f&AttemptSuccess != 0:
		return "success"
	case f&AttemptDone == 0:
		return "running"
	case f&AttemptCancelRequested != 0:
		return "killed"
	default:
		return "error"
	}
}

// Attempt is one execution of a session.
type Attempt struct {
	// ID is zero until InsertAttempt sets it.
	ID AttemptID

	// SessionID is the session that the attempt runs.
	SessionID SessionID

	// ProjectID is the project of the session.
	ProjectID ProjectID

	// Name distinguishes the attempts of a session. Empty for the one unnamed attempt (language A2).
	Name string

	// Index counts the attempts of the session, from 1.
	Index int

	// WorkflowID is the workflow that runs, which also says of which revision.
	WorkflowID WorkflowID

	// Zone is the id of the time zone of the attempt's dates, such as "Asia/Tokyo".
	Zone string

	// Params are the session parameters (language A8). Nil or empty for none.
	Params *param.Map

	// Flags are the state of the attempt. Zero while it runs and nobody has killed it.
	Flags AttemptFlags

	// Cause is what started the attempt: "run", "start", "retry", "require", "schedule" or "backfill".
	Cause string

	// Actor is who started the attempt.
	Actor string

	// Version grows by one with every transaction that changes a task of the attempt.
	Version int64

	// CreatedAt is when the attempt was stored, which may be before it begins.
	CreatedAt time.Time

	// FinishedAt is when the root task ended. Zero before.
	FinishedAt time.Time

	// WaitReason is why the attempt has not begun: WaitAttemptsLimit or WaitWorkflowPaused. Empty once it
	// is admitted.
	WaitReason WaitCode
}

// AttemptContext is what an attempt belongs to. It stays the same while the attempt runs.
type AttemptContext struct {
	// Project is the project of the session.
	Project Project

	// Revision is the revision of the workflow.
	Revision Revision

	// Workflow is the workflow that runs.
	Workflow Workflow

	// Session is the session of the attempt.
	Session Session

	// Defaults are the parameters of all attempts of a server, the weakest ones (server 3.1). They are not stored.
	Defaults *param.Map

	// Limits are the limits that the workflow sets for itself. They are read from its definition.
	Limits WorkflowLimits
}

// AttemptSummary is an attempt with what lists show beside it.
type AttemptSummary struct {
	Attempt Attempt // the attempt itself
	Session Session // its session
	Project Project // its project, deleted or not
}

// AttemptFilter selects attempts, newest first.
type AttemptFilter struct {
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	Session  SessionID // zero for all
	LastOnly bool      // only the last attempt of each session
	Before   AttemptID // only smaller ids, unless it is zero
	Limit    int       // the largest number of results; negative for no limit
	MaxBytes int       // the list ends with the attempt with which it reaches this size; zero for no limit
}

// AttemptTx is the part of a transaction about attempts.
type AttemptTx interface {
	// InsertAttempt stores a new attempt and sets its id, session and index. It makes the session unless
	// there is one of that project, workflow name and time. If the session has an attempt of that name
	// already, it returns ErrTaken.
	InsertAttempt(ctx context.Context, s *Session, a *Attempt) error
	// LockAttempts returns those attempts that exist, in the order of their ids, and locks those that are not done.
	LockAttempts(ctx context.Context, ids []AttemptID) ([]*Attempt, error)
	// LockAttemptVersions locks attempts that the caller knows, and raises their versions by one. If one of them is
	// done or has another version, that is an ErrConflict, and the transaction must be rolled back. The
	// error may come as late as Sync.
	LockAttemptVersions(ctx context.Context, versions map[AttemptID]int64) error
	// UpdateAttempts writes flags, version, end and WaitReason of locked attempts. If one of them does not exist,
	// that is an ErrNotFound, and the transaction must be rolled back.
	UpdateAttempts(ctx context.Context, attempts ...*Attempt) error
	// FindAttemptContext returns what an attempt belongs to.
	FindAttemptContext(ctx context.Context, id AttemptID) (*AttemptContext, error)
	// FindAttempt returns one attempt, or ErrNotFound.
	FindAttempt(ctx context.Context, id AttemptID) (*Attempt, error)
	// FindAttemptSummary returns one attempt with its session and project, or ErrNotFound.
	FindAttemptSummary(ctx context.Context, id AttemptID) (*AttemptSummary, error)
	// FindLatestAttempt returns the newest attempt of a session (language A4), or, if name is not
	// empty, the attempt of that name.
	FindLatestAttempt(ctx context.Context, project ProjectID, workflow string, at time.Time, name string) (*Attempt, error)
	// ListAttempts returns the attempts that a filter selects.
	ListAttempts(ctx context.Context, f AttemptFilter) ([]*AttemptSummary, error)
	// CountRunningAttempts returns how many attempts are not done.
	CountRunningAttempts(ctx context.Context) (int, error)
}
