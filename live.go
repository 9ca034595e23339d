package trowel

import (
	"context"
	"time"
)

// LiveTask is a task that waits for a server to do something: it is ready, waits for an instant, or waits for
// its values to be evaluated. It has what a server must know of such a task without reading its attempt. All
// fields are those of Task.
type LiveTask struct {
	AttemptID    AttemptID     // the attempt of the task
	TaskID       TaskID        // the task's ID
	State        TaskState     // never a terminal state
	Flags        TaskFlags     // zero for none
	Try          int           // the present or last try, from 1; zero before the first claim
	WaitReason   WaitCode      // empty unless the task waits
	ReadyAt      time.Time     // when it last became ready; zero before
	RetryAt      time.Time     // when a waiting task is due; zero otherwise
	StartedAt    time.Time     // when it was first claimed; zero before
	AgentID      string        // who has or had the last try; empty before the first claim
	Requirements *Requirements // nil for the defaults, and before it was ready
	Acquired     Acquired      // nil for nothing
}

// RunningAttempt is an attempt that is not done, as far as a server keeps it in its lists. All fields but
// Workflow are those of Attempt.
type RunningAttempt struct {
	ID         AttemptID    // the attempt
	Version    int64        // grows with every transaction that changes a task of it
	Flags      AttemptFlags // zero unless it is being killed
	ProjectID  ProjectID    // its project
	WorkflowID WorkflowID   // its workflow
	Workflow   string       // the name of its workflow
	Cause      string       // what started it
	CreatedAt  time.Time    // when it was stored
}

// ChangedTask is what people who watch an attempt see of a task that has changed. All fields are those of Task.
type ChangedTask struct {
	ID         TaskID    // the task
	ParentID   TaskID    // zero for the root
	State      TaskState // its state now
	Try        int       // the present or last try, from 1; zero before the first claim
	WaitReason WaitCode  // empty unless the task waits
	StartedAt  time.Time // when it was first claimed; zero before
	UpdatedAt  time.Time // when it last changed; for a done task when it ended
	Version    int64     // the attempt's Version at the change
}

// LiveTx is the part of a transaction about all attempts that are not done.
type LiveTx interface {
	// ListLive returns the live tasks of attempts, in the order of attempts and tasks.
	ListLive(ctx context.Context, attempts []AttemptID) ([]LiveTask, error)
	// ListChanged returns up to limit tasks, in no order, of an attempt that is not done: those whose Version
	// is larger than newerThan.
	ListChanged(ctx context.Context, attempt AttemptID, newerThan int64, limit int) ([]ChangedTask, error)
	// ListRunning returns up to limit attempts that are not done and whose id is larger than after, in the
	// order of their ids.
	ListRunning(ctx context.Context, after AttemptID, limit int) ([]RunningAttempt, error)
	// FindRunning returns those of the attempts that are not done, in the order of their ids.
	FindRunning(ctx context.Context, attempts []AttemptID) ([]RunningAttempt, error)
	// ListRunningOf returns the running tasks of an agent, in the order of their ids.
	ListRunningOf(ctx context.Context, agent string) ([]LiveTask, error)
	// ListOverdue returns up to limit attempts with running tasks that were first started before an
	// instant, in the order of their ids.
	ListOverdue(ctx context.Context, startedBefore time.Time, limit int) ([]AttemptID, error)
	// FindTry returns one ended try, or ErrNotFound.
	FindTry(ctx context.Context, attempt AttemptID, try TryID) (*Try, error)
}
