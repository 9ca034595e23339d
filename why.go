package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// TaskOutline is a task as far as it says who waits for whom.
type TaskOutline struct {
	ID          TaskID
	ParentID    TaskID // zero for the root
	FullName    string
	State       TaskState
	Flags       TaskFlags
	Round       int
	ParentRound int
	Upstreams   []TaskID
	WaitReason  WaitCode
	UpdatedAt   time.Time
}

// Outline returns the outline of the task.
func (t *Task) Outline() TaskOutline {
	return TaskOutline{
		ID: t.ID, ParentID: t.ParentID, FullName: t.FullName, State: t.State, Flags: t.Flags, Round: t.Round,
		ParentRound: t.ParentRound, Upstreams: t.Upstreams, WaitReason: t.WaitReason, UpdatedAt: t.UpdatedAt,
	}
}

// ChildCount is how many children of one round of a task are in one state.
type ChildCount struct {
	ParentRound int
	State       TaskState
	Count       int
	First       TaskID // the smallest id of them
}

// ReadyCount are ready tasks of an attempt with equal Needs, Holds and Flags.
type ReadyCount struct {
	First   TaskID // the smallest id of them
	Count   int
	ReadyAt time.Time // when the oldest of them became ready
	Flags   TaskFlags
	Needs   *Needs
	Holds   Holds
}

// BusyTask is a ready or running task of any attempt, with the names that people know.
type BusyTask struct {
	AttemptID AttemptID
	TaskID    TaskID
	FullName  string
	ProjectID ProjectID
	Project   string
	Workflow  string
	AgentID   string    // that of a running one
	ReadyAt   time.Time // when it last became ready
	ClaimedAt time.Time // of a running one
	Needs     *Needs
	Holds     Holds
	Hidden    bool // who asks must not learn which one it is; the store leaves it false
}

// WhyTx is the part of a transaction that finds out why tasks do not run. None of it reads what tasks
// are configured with, but for FindTasks.
type WhyTx interface {
	// FindTasks returns those of the live tasks of an attempt that are there, in the order of their ids.
	FindTasks(ctx context.Context, attempt AttemptID, ids []TaskID) ([]*Task, error)
	// FindFirstTask returns the smallest id of the live tasks of an attempt, which is that of the root; zero
	// if there are none.
	FindFirstTask(ctx context.Context, attempt AttemptID) (TaskID, error)
	// FindTasksNamed returns the ids of the live tasks of an attempt whose full name ends so, in their
	// order, at most limit of them.
	FindTasksNamed(ctx context.Context, attempt AttemptID, name string, limit int) ([]TaskID, error)
	// ListOutlines returns the live children of a task in the order of their ids; with a zero parent
	// all tasks of the attempt.
	ListOutlines(ctx context.Context, attempt AttemptID, parent TaskID) ([]TaskOutline, error)
	// CountChildren counts the live children of a task by round and state.
	CountChildren(ctx context.Context, attempt AttemptID, parent TaskID) ([]ChildCount, error)
	// ListReady and ListBusy return up to limit ready and running tasks of all attempts, in no order.
	ListReady(ctx context.Context, limit int) ([]BusyTask, error)
	ListBusy(ctx context.Context, limit int) ([]BusyTask, error)
	// CountBusy counts the running tasks of each agent, and those of an attempt.
	CountBusy(ctx context.Context, attempt AttemptID) (agents map[string]int, of int, err error)
	// CountReady counts the ready tasks of an attempt, by what decides why they wait.
	CountReady(ctx context.Context, attempt AttemptID) ([]ReadyCount, error)
	// ListUnfinished returns the live groups of an attempt and those of its other tasks that have not
	// succeeded, in the order of their ids.
	ListUnfinished(ctx context.Context, attempt AttemptID) ([]TaskOutline, error)
	// ListWaitingTasks returns up to limit live tasks of an attempt that are neither running nor done and
	// whose ids are larger than after, in the order of their ids.
	ListWaitingTasks(ctx context.Context, attempt AttemptID, after TaskID, limit int) ([]TaskID, error)
	// FindWorkflowKeys returns those of some keys at the top of an attempt's workflow that it has. It does not
	// read the others, of which there may be megabytes.
	FindWorkflowKeys(ctx context.Context, attempt AttemptID, keys []string) (*param.Map, error)
	// ListAdmitted returns up to limit attempts of a workflow that are admitted and not done, in the
	// order of their ids.
	ListAdmitted(ctx context.Context, project ProjectID, workflow string, limit int) ([]AttemptID, error)
	// ListTriesOf returns the ended tries of a task in their order.
	ListTriesOf(ctx context.Context, attempt AttemptID, task TaskID) ([]Try, error)
	// ListAuditsAt returns the entries of the audit of an attempt of one instant.
	ListAuditsAt(ctx context.Context, attempt AttemptID, at time.Time) ([]Audit, error)
}
