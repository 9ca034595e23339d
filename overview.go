package trowel

import (
	"context"
	"time"
)

// LiveCount says how many ready or running tasks there are that differ in nothing that matters to who
// may run.
type LiveCount struct {
	State     TaskState // TaskReady or TaskRunning
	ProjectID ProjectID
	Needs     *Needs
	AgentID   string // of running ones
	Count     int
	Oldest    time.Time // the smallest ReadyAt
}

// TaskName says which task an id stands for.
type TaskName struct {
	TaskID    TaskID
	FullName  string
	AttemptID AttemptID
	ProjectID ProjectID
	Project   string
	Workflow  string
}

// OverviewTx is the part of a transaction that looks over all attempts, for people who ask what goes on.
// What it costs grows with the tasks that are ready or run, not with those that are blocked.
type OverviewTx interface {
	// CountLive counts the ready and the running tasks.
	CountLive(ctx context.Context) ([]LiveCount, error)
	// EachLive calls f with the live tasks of a state, in no order, until it returns an error.
	EachLive(ctx context.Context, state TaskState, f func(t *LiveTask, project ProjectID) error) error
	// NameTasks returns the names of those of the tasks of attempts that are not archived.
	NameTasks(ctx context.Context, tasks map[TaskID]AttemptID) (map[TaskID]TaskName, error)
	// FindTimesTaken returns how long those of an attempt's tasks ran that have one of the names and succeeded,
	// the longest of several with one name.
	FindTimesTaken(ctx context.Context, attempt AttemptID, names []string) (map[string]time.Duration, error)
	// ListTaskNames returns the full names of the tasks of an attempt that is not archived.
	ListTaskNames(ctx context.Context, attempt AttemptID) (map[TaskID]string, error)
}
