package trowel

import (
	"context"
	"time"
)

// Failure are tasks of an attempt that ended in an error for the same cause in one transaction. Groups that failed because of
// their tasks are none.
type Failure struct {
	ID        int64     // zero until it is stored
	At        time.Time // when they ended
	AttemptID AttemptID // their attempt
	ProjectID ProjectID // its project
	Workflow  string    // the name of its workflow
	Cause     Cause     // which cause they share
	Operator  string    // their operator, such as "sh"
	Kind      string    // the kind of error, such as "runtime"; empty if the message names none
	Message   string    // that of the first task, at most MaxFailureMessage bytes
	TaskID    TaskID    // the first task
	TaskName  string    // its full name
	Try       int       // its last try, which has its last lines of output; zero if it never ran
	Tasks     int       // how many tasks there are, 1 or more
}

// MaxFailureMessage is how many bytes of the message of a Failure are kept.
const MaxFailureMessage = 2000

// FailureFilter selects failures by time.
type FailureFilter struct {
	Since    time.Time // at this instant or later
	Until    time.Time // before this instant
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	Cause    Cause     // zero for all
	Limit    int       // the newest ones, as many as this
}

// FailedAttempt are the failures of an attempt with one cause.
type FailedAttempt struct {
	Cause     Cause     // the cause
	AttemptID AttemptID // the attempt
	Tasks     int       // how many of its tasks failed
	First     time.Time // when the first of them ended
	Last      time.Time // when the last of them ended
	LastID    int64     // the last Failure of them
	Recovered bool      // the last attempt of the session succeeded
}

// FailureSample is a failure with what is shown of it.
type FailureSample struct {
	Failure

	Project     string    // the name of its project
	SessionTime time.Time // of its session
	Zone        string    // the time zone of its attempt
	LastLines   []string  // the last lines that the task has printed
}

// FailureTx is the part of a transaction about failures.
type FailureTx interface {
	// InsertFailures stores failures.
	InsertFailures(ctx context.Context, failures []Failure) error
	// ListFailedAttempts returns the attempts of the newest failures, in no order. Those of deleted projects are left out.
	ListFailedAttempts(ctx context.Context, f FailureFilter) ([]FailedAttempt, error)
	// FindFailures returns failures by id, in the order of their ids.
	FindFailures(ctx context.Context, ids []int64) ([]FailureSample, error)
	// ListFailures returns up to limit failures of an attempt, the first ones first.
	ListFailures(ctx context.Context, attempt AttemptID, limit int) ([]FailureSample, error)
	// FindKnownCauses returns those causes that had failures between two instants, in a project or, if it is zero, in any.
	FindKnownCauses(ctx context.Context, causes []Cause, project ProjectID, from, to time.Time) (map[Cause]bool, error)
	// CountCauses counts the attempts, other than one, that failed because of each cause since an instant, in a project or, if
	// it is zero, in any.
	CountCauses(ctx context.Context, causes []Cause, project ProjectID, except AttemptID, since time.Time) (map[Cause]int, error)
}
