package events

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Event is one thing that happened.
type Event struct {
	AttemptID trowel.AttemptID
	ProjectID trowel.ProjectID
	Workflow  string
	// Task is the task that changed; nil if the attempt itself did.
	Task *TaskRow
	// Log is output that was written; nil if none was.
	Log *LogRow
	// Schedule is the schedule that changed; zero if none did.
	Schedule trowel.ScheduleID
	// Version is that of the attempt after this change; zero if the attempt did not change. Versions may have gaps.
	Version int64
	// Remote says that another server changed the attempt or, without an id, any attempts. AttemptChanged says that the
	// attempt itself changed, not only tasks of it.
	Remote, AttemptChanged bool
	// Gap says that events may have been lost: anything may have changed.
	Gap bool
}

// TaskRow is a task that changed.
type TaskRow struct {
	ID         trowel.TaskID
	ParentID   trowel.TaskID
	State      trowel.TaskState
	Try        int
	StartedAt  time.Time // zero if it never ran
	FinishedAt time.Time // zero until it is done
	Reason     string    // why it waits; may be empty
	Version    int64     // of the attempt after this change
}

// LogRow is a piece of output that was written.
type LogRow struct {
	Task   string // full name
	Offset int64  // bytes before it
	Size   int64  // bytes with it
}
