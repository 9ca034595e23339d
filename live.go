package trowel

import (
	"context"
	"time"
)

// LiveTask is what a server must know of a task that waits for something that a server does, without
// knowing its attempt: one that is ready, that waits for an instant, or that waits for its values to be
// evaluated.
type LiveTask struct {
	AttemptID  AttemptID
	TaskID     TaskID
	State      TaskState
	Flags      TaskFlags
	Try        int
	WaitReason WaitCode
	ReadyAt    time.Time
	RetryAt    time.Time
	StartedAt  time.Time
	AgentID    string
	Needs      *Needs
	Holds      Holds
}

// RunningAttempt is an attempt that is not done, as lists of a server know it.
type RunningAttempt struct {
	ID         AttemptID
	Version    int64
	Flags      AttemptFlags
	ProjectID  ProjectID
	WorkflowID WorkflowID
	Workflow   string
	Cause      string
	CreatedAt  time.Time
}

// ChangedTask is what people who watch an attempt are told of a task that has changed.
type ChangedTask struct {
	ID         TaskID
	ParentID   TaskID
	State      TaskState
	Try        int
	WaitReason WaitCode
	StartedAt  time.Time
	UpdatedAt  time.Time // when it ended, if it is done
	Version    int64     // of the attempt at the change
}

// LiveTx is the part of a transaction about what goes on in a whole store.
type LiveTx interface {
	// ListLive returns the live tasks of attempts, in the order of attempts and tasks.
	ListLive(ctx context.Context, attempts []AttemptID) ([]LiveTask, error)
	// ListChanged returns up to limit tasks of an attempt that is not done whose Version is larger than
	// newerThan, in no order.
	ListChanged(ctx context.Context, attempt AttemptID, newerThan int64, limit int) ([]ChangedTask, error)
	// ListRunning returns up to limit attempts that are not done and whose id is larger than after, in the
	// order of their ids.
	ListRunning(ctx context.Context, after AttemptID, limit int) ([]RunningAttempt, error)
	// FindRunning returns those of the attempts that are not done, in the order of their ids.
	FindRunning(ctx context.Context, attempts []AttemptID) ([]RunningAttempt, error)
	// ListRunningOf returns the running tasks of an agent, in the order of their ids.
	ListRunningOf(ctx context.Context, agent string) ([]LiveTask, error)
	// ListOverdue returns up to limit attempts that have running tasks which were first started before an
	// instant, in the order of their ids.
	ListOverdue(ctx context.Context, startedBefore time.Time, limit int) ([]AttemptID, error)
	// FindTry returns one ended try; ErrNotFound if it is not stored.
	FindTry(ctx context.Context, attempt AttemptID, try TryID) (*Try, error)
}
