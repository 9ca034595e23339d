package trowel

import (
	"context"
	"time"
)

// UpcomingSchedule is an enabled schedule with what is needed to work out its next sessions.
type UpcomingSchedule struct {
	Schedule Schedule // id, project, workflow and next times alone
	Project  string   // the name of its project
	Workflow Workflow // its workflow in the newest revision; of its definition only what is about time
}

// UpcomingFilter selects schedules whose next run is before an instant.
type UpcomingFilter struct {
	Before   time.Time // the instant
	Project  ProjectID // zero for all
	Workflow string    // the exact name; empty for all
	Limit    int       // the earliest ones, as many as this
}

// WaitingAttempts counts attempts that have not begun, for one reason.
type WaitingAttempts struct {
	ProjectID ProjectID // their project
	Workflow  string    // the name of their workflow
	Reason    WaitCode  // why
	Count     int       // how many
}

// EstimateTx is the part of a transaction about what is to come, and how long it will take.
type EstimateTx interface {
	// ListUpcoming returns the enabled schedules of workflows that are not paused, the earliest next run first.
	ListUpcoming(ctx context.Context, f UpcomingFilter) ([]UpcomingSchedule, error)
	// ListDurations returns how long the last attempts of a workflow took that succeeded, at most limit of them, the newest
	// first: from when they were made to their end. It leaves out retries, which may run only a part, and attempts of
	// another definition than that of this workflow. It looks at a bounded number of attempts.
	ListDurations(ctx context.Context, project ProjectID, name string, workflow WorkflowID, limit int) ([]time.Duration, error)
	// CountWaiting counts the attempts that have not begun, by workflow and reason.
	CountWaiting(ctx context.Context) ([]WaitingAttempts, error)
}
