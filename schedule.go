package trowel

import (
	"context"
	"time"
)

// Schedule says when a workflow of the newest revision of a project starts next (language 6.5).
type Schedule struct {
	// ID is zero until InsertSchedule sets it. New revisions of the project keep it.
	ID ScheduleID

	// ProjectID is the project of the workflow.
	ProjectID ProjectID

	// Workflow is the name of the workflow.
	Workflow string

	// WorkflowID is that workflow in the newest revision.
	WorkflowID WorkflowID

	// NextRunAt is when the session of NextSessionAt starts. ScheduleEnded after the last session.
	NextRunAt time.Time

	// NextSessionAt is the session time of the next session. ScheduleEnded after the last one.
	NextSessionAt time.Time

	// LastSessionAt is the session time of the last session that was started. Zero for none.
	LastSessionAt time.Time

	// CreatedAt is when the schedule was made.
	CreatedAt time.Time

	// UpdatedAt is when any of this was changed last.
	UpdatedAt time.Time

	// DisabledAt is when somebody disabled the schedule. Zero while it is enabled.
	DisabledAt time.Time
}

// ScheduleEnded returns the next time of a schedule whose end has passed, as Digdag shows it (server 2.3).
func ScheduleEnded() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// ScheduledWorkflow is a schedule with what it starts.
type ScheduledWorkflow struct {
	Schedule   Schedule   // the schedule
	Definition Definition // its workflow in the newest revision
}

// ScheduleFilter selects schedules in the order of their ids.
type ScheduleFilter struct {
	Project  ProjectID  // zero for those of all projects
	Workflow string     // the exact name; empty for all
	After    ScheduleID // only larger ids; zero for all
	Limit    int        // the largest number of results; negative for no limit
}

// ScheduleMove advances a schedule from one session to the next.
type ScheduleMove struct {
	Schedule Schedule  // the schedule as it shall be
	From     time.Time // its NextSessionAt before
}

// Decision is what became of one session of a schedule.
type Decision struct {
	// ID is set by ListDecisions. Later decisions have larger ones.
	ID int64

	// At is when it was decided.
	At time.Time

	// ScheduleID is the schedule, which may be deleted by now.
	ScheduleID ScheduleID

	// ProjectID is the project of the workflow.
	ProjectID ProjectID

	// Workflow is the name of the workflow.
	Workflow string

	// SessionAt is the session time.
	SessionAt time.Time

	// RunAt is when the session was due.
	RunAt time.Time

	// What is one of the Decision constants.
	What string

	// Reason says why, in a sentence. Empty for a plain start.
	Reason string

	// AttemptID is the attempt that was started, or that the session had already. Zero for none.
	AttemptID AttemptID
}

// DecisionFilter selects decisions about a workflow, newest first.
type DecisionFilter struct {
	Project  ProjectID
	Workflow string
	Session  time.Time // only those about this session time; zero for all
	Before   int64     // only smaller ids; zero for all
	Limit    int       // the largest number of results; negative for no limit
}

// What can become of a session of a schedule.
const (
	DecisionStarted   = "started"   // an attempt was started
	DecisionSkipped   = "skipped"   // no attempt was started, and none will be
	DecisionPostponed = "postponed" // it will be tried again later
	DecisionError     = "error"     // starting failed
)

// The rules by which a schedule skips sessions. The reason of a Decision to skip one begins with its rule and a colon.
const (
	RuleSkipOvertime = "skip_on_overtime"
	RuleSkipDelayed  = "skip_delayed_by"
)

// ScheduleTx is the part of a transaction about schedules.
type ScheduleTx interface {
	// InsertSchedule stores a new schedule and sets its id.
	InsertSchedule(ctx context.Context, s *Schedule) error
	// UpdateSchedule writes all of a schedule but its id, project, workflow name and creation.
	UpdateSchedule(ctx context.Context, s *Schedule) error
	// UpdateSchedules writes the next and last times of schedules, and returns the ids of those that it wrote.
	// It leaves out those that somebody else has moved meanwhile: whose next session is no longer the one in
	// From, or whose workflow is of another revision.
	UpdateSchedules(ctx context.Context, moves []ScheduleMove) ([]ScheduleID, error)
	// DeleteSchedule deletes a schedule.
	DeleteSchedule(ctx context.Context, id ScheduleID) error
	// LockSchedules locks and returns the schedules of a project in the order of their ids.
	LockSchedules(ctx context.Context, project ProjectID) ([]*Schedule, error)
	// FindSchedule returns one schedule of a live project.
	FindSchedule(ctx context.Context, id ScheduleID) (*ScheduledWorkflow, error)
	// LockSchedule locks and returns one schedule of a live project.
	LockSchedule(ctx context.Context, id ScheduleID) (*ScheduledWorkflow, error)
	// ListSchedules returns the schedules that a filter selects.
	ListSchedules(ctx context.Context, f ScheduleFilter) ([]*ScheduledWorkflow, error)
	// TakeDueSchedules is ListDueSchedules for servers that call it at the same time. It locks the schedules that
	// it returns until the transaction ends, and leaves out those that another server has locked.
	TakeDueSchedules(ctx context.Context, now time.Time, limit int) ([]*ScheduledWorkflow, error)
	// ListDueSchedules returns up to limit enabled schedules of workflows that are not paused, whose
	// NextRunAt is not later than now, the earliest first.
	ListDueSchedules(ctx context.Context, now time.Time, limit int) ([]*ScheduledWorkflow, error)
	// FindNextRun returns the earliest NextRunAt of all enabled schedules of workflows that are not paused, or
	// zero if there is none.
	FindNextRun(ctx context.Context) (time.Time, error)
	// InsertDecisions stores decisions.
	InsertDecisions(ctx context.Context, decisions []Decision) error
	// ListDecisions returns the decisions that a filter selects, newest first.
	ListDecisions(ctx context.Context, f DecisionFilter) ([]Decision, error)
}
