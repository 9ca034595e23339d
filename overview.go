package trowel

import (
	"context"
	"time"
)

// LiveCount counts ready or running tasks that are equal in all that decides who may run.
type LiveCount struct {
	State        TaskState     // TaskReady or TaskRunning
	ProjectID    ProjectID     // the project of the tasks
	Requirements *Requirements // what they need to run; nil for the defaults
	AgentID      string        // the agent of running tasks; empty for ready ones
	Count        int           // how many tasks there are
	Oldest       time.Time     // the smallest ReadyAt among them
}

// TaskName says in names which task an id stands for.
type TaskName struct {
	TaskID    TaskID    // the task
	FullName  string    // its full name, such as "+load+fetch"
	AttemptID AttemptID // its attempt
	ProjectID ProjectID // its project
	Project   string    // the name of its project
	Workflow  string    // the name of its workflow
}

// OverviewTx is the part of a transaction that looks over all attempts, for people who ask what is going on.
// Its cost grows with the number of ready and running tasks, not with that of blocked ones.
type OverviewTx interface {
	// CountLive counts the ready and the running tasks.
	CountLive(ctx context.Context) ([]LiveCount, error)
	// EachLive calls f with each live task in a state, in no order, until f returns an error.
	EachLive(ctx context.Context, state TaskState, f func(t *LiveTask, project ProjectID) error) error
	// NameTasks returns the names of those tasks that are not archived. The argument has the attempt of each task.
	NameTasks(ctx context.Context, tasks map[TaskID]AttemptID) (map[TaskID]TaskName, error)
	// FindTimesTaken returns how long tasks of an attempt ran, by their full names: of those names, and only
	// of tasks that succeeded. If several tasks have one name, the longest time counts.
	FindTimesTaken(ctx context.Context, attempt AttemptID, names []string) (map[string]time.Duration, error)
	// ListTaskNames returns the full names of the tasks of an attempt that is not archived.
	ListTaskNames(ctx context.Context, attempt AttemptID) (map[TaskID]string, error)
}
