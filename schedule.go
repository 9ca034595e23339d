package trowel

import (
	"context"
	"time"
)

// Schedule is when a workflow of the newest revision of a project starts next (language 6.5).
type Schedule struct {
	ID         ScheduleID // stays over revisions
	ProjectID  ProjectID
	Workflow   string
	WorkflowID WorkflowID // of the newest revision
	// NextRunAt is when the session of NextSessionAt starts. Both are ScheduleEnded after the last one.
	NextRunAt     time.Time
	NextSessionAt time.Time
	LastSessionAt time.Time // of the last session that was started; zero for none
	CreatedAt     time.Time
	UpdatedAt     time.Time
	DisabledAt    time.Time // zero while it is enabled
}

// ScheduleEnded is the next time of a schedule whose end has passed, as Digdag shows it (server 2.3).
func ScheduleEnded() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// ScheduledWorkflow is a schedule with what it starts.
type ScheduledWorkflow struct {
	Schedule   Schedule
	Definition Definition
}

// ScheduleFilter selects schedules in the order of their ids.
type ScheduleFilter struct {
	Project  ProjectID // zero for those of all projects
	Workflow string    // the exact name; empty for all
	After    ScheduleID
	Limit    int // at most so many; none if it is negative
}

// Decision is what became of one session of a schedule.
type Decision struct {
	At         time.Time
	ScheduleID ScheduleID
	ProjectID  ProjectID
	Workflow   string
	SessionAt  time.Time
	RunAt      time.Time
	What       string // one of the Decision constants
	Reason     string // why, in a sentence; empty for a plain start
	AttemptID  AttemptID
}

// What can become of a session of a schedule.
const (
	DecisionStarted   = "started"
	DecisionSkipped   = "skipped"
	DecisionPostponed = "postponed"
	DecisionError     = "error"
)

// ScheduleTx is the part of a transaction about schedules.
type ScheduleTx interface {
	// InsertSchedule stores a new schedule and gives it its id.
	InsertSchedule(ctx context.Context, s *Schedule) error
	// UpdateSchedule writes all of a schedule but its id, project, workflow name and creation.
	UpdateSchedule(ctx context.Context, s *Schedule) error
	// UpdateSchedules writes next and last times of schedules as long as their next session is
	// still the one in from, and their workflow that of the same revision, and returns the ids of those
	// that were written. The others were moved by somebody else meanwhile.
	UpdateSchedules(ctx context.Context, moves []ScheduleMove) ([]ScheduleID, error)
	DeleteSchedule(ctx context.Context, id ScheduleID) error
	// LockSchedules locks and returns the schedules of a project in the order of their ids.
	LockSchedules(ctx context.Context, project ProjectID) ([]*Schedule, error)
	// FindSchedule returns one schedule of a live project; LockSchedule locks it, too.
	FindSchedule(ctx context.Context, id ScheduleID) (*ScheduledWorkflow, error)
	LockSchedule(ctx context.Context, id ScheduleID) (*ScheduledWorkflow, error)
	ListSchedules(ctx context.Context, f ScheduleFilter) ([]*ScheduledWorkflow, error)
	// TakeDueSchedules is ListDueSchedules for servers that do this at the same time: it passes over those that
	// another one has taken and keeps the others for this transaction.
	TakeDueSchedules(ctx context.Context, now time.Time, limit int) ([]*ScheduledWorkflow, error)
	// ListDueSchedules returns up to limit enabled schedules of workflows that are not paused, whose
	// NextRunAt is not later than now, the earliest first.
	ListDueSchedules(ctx context.Context, now time.Time, limit int) ([]*ScheduledWorkflow, error)
	// FindNextRun returns the earliest NextRunAt of all those schedules, zero if there is none.
	FindNextRun(ctx context.Context) (time.Time, error)
	InsertDecisions(ctx context.Context, decisions []Decision) error
	// ListDecisions returns up to limit decisions about a workflow, newest first.
	ListDecisions(ctx context.Context, project ProjectID, workflow string, limit int) ([]Decision, error)
}

// ScheduleMove advances a schedule from a session to the next.
type ScheduleMove struct {
	Schedule Schedule  // as it shall be
	From     time.Time // NextSessionAt as it was
}
