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
	// ID is zero until the first attempt is stored.
	ID SessionID

	// ProjectID is the project of the workflow.
	ProjectID ProjectID

	// Workflow is the name of the workflow.
	Workflow string

	// Time is the session time, in whole seconds.
	Time time.Time

	// UUID is a random id that templates see as session_uuid. It is set with the ID.
	UUID string
}

// SessionFilter selects sessions that have an attempt, newest first, each with its last attempt.
type SessionFilter struct {
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	Before   SessionID // only smaller ids, unless it is zero
	Limit    int       // the largest number of results; negative for no limit
	MaxBytes int       // the list ends with the session with which it reaches this size; zero for no limit
}

// SessionTx is the part of a transaction about sessions.
type SessionTx interface {
	// FindSession returns a session with its last attempt.
	FindSession(ctx context.Context, id SessionID) (*AttemptSummary, error)
	// ListSessions returns the sessions that a filter selects.
	ListSessions(ctx context.Context, f SessionFilter) ([]*AttemptSummary, error)
	// FindLastSession returns the latest session time before an instant for which an attempt was started
	// (language P15), or zero if there is none.
	FindLastSession(ctx context.Context, project ProjectID, workflow string, before time.Time) (time.Time, error)
	// HasActiveAttempt reports whether the newest attempt of any session of the workflow is neither done
	// nor killed (language S26).
	HasActiveAttempt(ctx context.Context, project ProjectID, workflow string) (bool, error)
}
