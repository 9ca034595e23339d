package trowel

import (
	"context"
	"time"
)

// SessionTimeLayout is how session times are written in parameters, texts and notifications (language P12), in the
// zone of their workflow.
const SessionTimeLayout = "2006-01-02T15:04:05-07:00"

// Session is the plan to run a workflow for a session time (language A1). It belongs to the name of
// a workflow, not to a revision.
type Session struct {
	ID        SessionID
	ProjectID ProjectID
	Workflow  string
	Time      time.Time // whole seconds
	UUID      string
}

// AttemptSummary is an attempt with the names that lists show.
type AttemptSummary struct {
	Attempt Attempt
	Session Session
	Project Project
}

// SessionFilter selects sessions that have an attempt, newest first, each with its last attempt.
type SessionFilter struct {
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	Before   SessionID // only smaller ids, unless it is zero
	Limit    int       // at most so many; none if it is negative
	// MaxBytes ends the list early, behind the session with which it has so many bytes; zero for no bound.
	MaxBytes int
}

// AttemptFilter selects attempts, newest first.
type AttemptFilter struct {
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	Session  SessionID // zero for all
	LastOnly bool      // only the last attempt of each session
	Before   AttemptID // only smaller ids, unless it is zero
	Limit    int       // at most so many; none if it is negative
	// MaxBytes ends the list early, behind the attempt with which it has so many bytes; zero for no bound.
	MaxBytes int
}

// SessionTx is the part of a transaction about sessions and lists of attempts.
type SessionTx interface {
	// FindSession returns a session with its last attempt.
	FindSession(ctx context.Context, id SessionID) (*AttemptSummary, error)
	ListSessions(ctx context.Context, f SessionFilter) ([]*AttemptSummary, error)
	FindAttemptSummary(ctx context.Context, id AttemptID) (*AttemptSummary, error)
	ListAttempts(ctx context.Context, f AttemptFilter) ([]*AttemptSummary, error)
	// FindLastSession returns the latest session time before at of which an attempt was started
	// (language P15), zero if there is none.
	FindLastSession(ctx context.Context, project ProjectID, workflow string, before time.Time) (time.Time, error)
	// HasActiveAttempt reports whether the newest attempt of any session of the workflow is not done and
	// not killed (language S26).
	HasActiveAttempt(ctx context.Context, project ProjectID, workflow string) (bool, error)
}
