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

// Status is the word that people see: running, success, killed or error.
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
	ID         AttemptID
	SessionID  SessionID
	ProjectID  ProjectID
	Name       string // empty for the one unnamed attempt of a session (language A2)
	Index      int    // 1 for the first attempt of its session
	WorkflowID WorkflowID
	Zone       string
	Params     *param.Map // session parameters (language A8)
	Flags      AttemptFlags
	Cause      string // what started it: "run", "require", ...
	Actor      string // who started it
	Version    int64  // grows by one with every transaction that changes a task of the attempt
	CreatedAt  time.Time
	FinishedAt time.Time // zero while it runs
	// WaitReason is why it has not begun: WaitAttemptsLimit or WaitWorkflowPaused; empty once it is
	// admitted.
	WaitReason WaitCode
}

// Setting is what an attempt belongs to: what stays the same while it runs.
type Setting struct {
	Project  Project
	Revision Revision
	Workflow Workflow
	Session  Session
	// Defaults are parameters of all attempts of a server, the weakest (server 3.1). They are not
	// stored.
	Defaults *param.Map
	// Control are the limits that the workflow sets for itself. They are read from its definition.
	Control Control
}

// AttemptTx reads and writes sessions and attempts.
type AttemptTx interface {
	// InsertAttempt stores a new attempt and gives it id, session and index. A session for that
	// project, workflow name and time is taken up, or made. An attempt of that name in the session
	// is an ErrTaken.
	InsertAttempt(ctx context.Context, s *Session, a *Attempt) error
	// LockAttempts returns the attempts that exist, in the order of their ids, and locks those that are not done.
	LockAttempts(ctx context.Context, ids []AttemptID) ([]*Attempt, error)
	// ExpectAttempts locks attempts that must be as they were known: not done, at these versions, and raises the
	// versions by one. If one is not, that is an ErrConflict, which Settle may tell, and nothing of the
	// transaction may be kept.
	ExpectAttempts(ctx context.Context, versions map[AttemptID]int64) error
	// UpdateAttempts writes flags, version, end and WaitReason of locked attempts. If one of them is not there that
	// is an ErrNotFound, and nothing of the transaction may be kept.
	UpdateAttempts(ctx context.Context, attempts ...*Attempt) error
	// FindSetting returns what an attempt belongs to.
	FindSetting(ctx context.Context, id AttemptID) (*Setting, error)
	// FindAttempt returns one attempt.
	FindAttempt(ctx context.Context, id AttemptID) (*Attempt, error)
	// FindLatestAttempt returns the newest attempt of a session (language A4), or, if name is not
	// empty, the attempt of that name.
	FindLatestAttempt(ctx context.Context, project ProjectID, workflow string, at time.Time, name string) (*Attempt, error)
	// CountRunningAttempts returns how many attempts are not done.
	CountRunningAttempts(ctx context.Context) (int, error)
}
