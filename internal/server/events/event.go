package events

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Event is one thing that happened, on its way to those who watch.
type Event struct {
	AttemptID trowel.AttemptID
	ProjectID trowel.ProjectID
	Workflow  string
	// Task is the row that changed; nil if it was the attempt itself.
	Task *TaskRow
	// Log is output that can be read now; nil if it is none.
	Log *LogRow
	// Schedule tells that times of a schedule changed; zero if they did not.
	Schedule trowel.ScheduleID
	// Version is the attempt's with this change; zero if the attempt did not change. A number may be left out.
	Version int64
	// Elsewhere tells that another server changed the attempt, or, without an id, any number of them. What
	// changed is not known here, and Noted whether the attempt itself did, not only tasks of it.
	Remote, AttemptChanged bool
	// Missed tells that anything may have happened of which nobody heard.
	Gap bool
}

// TaskRow is what the stream tells of a task.
type TaskRow struct {
	ID         trowel.TaskID
	ParentID   trowel.TaskID
	State      trowel.TaskState
	Try        int
	StartedAt  time.Time // zero if it never ran
	FinishedAt time.Time // zero until it is done
	Reason     string    // why it waits; may be empty
	Version    int64     // of the attempt with this change
}

// LogRow is what the stream tells of output.
type LogRow struct {
	Task   string // full name
	Offset int64  // bytes of text before it
	Size   int64  // bytes of text with it
}
