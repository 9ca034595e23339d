package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// TaskOutline is a task without its parameters: just what decides who waits for whom. All fields are those of Task.
type TaskOutline struct {
	ID          TaskID    // the task
	ParentID    TaskID    // zero for the root
	FullName    string    // the path of names from the root
	State       TaskState // the present state
	Flags       TaskFlags // zero for none
	Round       int       // how often its own subtree was repeated
	ParentRound int       // the Round of the parent in which it was made
	Upstreams   []TaskID  // siblings that must succeed first; one may stand twice
	WaitReason  WaitCode  // empty unless it waits
	UpdatedAt   time.Time // when it last changed
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
	ParentRound int       // the round
	State       TaskState // the state
	Count       int       // how many there are, 1 or more
	First       TaskID    // the smallest id among them
}

// ReadyCount counts ready tasks of an attempt with equal Requirements, Acquired and Flags.
type ReadyCount struct {
	First        TaskID        // the smallest id among them
	Count        int           // how many there are, 1 or more
	ReadyAt      time.Time     // when the oldest of them became ready
	Flags        TaskFlags     // their flags
	Requirements *Requirements // what each of them needs; nil for the defaults
	Acquired     Acquired      // what each of them has taken; nil for nothing
}

// BusyTask is a ready or running task of any attempt, with the names that people know.
type BusyTask struct {
	AttemptID    AttemptID     // its attempt
	TaskID       TaskID        // the task
	FullName     string        // the path of names from the root
	ProjectID    ProjectID     // its project
	Project      string        // the name of its project
	Workflow     string        // the name of its workflow
	AgentID      string        // the agent of a running task; empty for a ready one
	ReadyAt      time.Time     // when it last became ready
	ClaimedAt    time.Time     // when a running task was claimed
	Requirements *Requirements // what it needs; nil for the defaults
	Acquired     Acquired      // what it has taken; nil for nothing
	Hidden       bool          // the caller must not learn which task it is; the store leaves it false
}

// WhyTx is the part of a transaction that finds out why tasks do not run. Apart from FindTasks its methods do not
// read the parameters of tasks.
type WhyTx interface {
	// FindTasks returns the live tasks with these ids, as far as there are any, in the order of their ids.
	FindTasks(ctx context.Context, attempt AttemptID, ids []TaskID) ([]*Task, error)
	// FindFirstTask returns the smallest id of the live tasks of an attempt, which is that of the root, or zero
	// if there are none.
	FindFirstTask(ctx context.Context, attempt AttemptID) (TaskID, error)
	// FindTasksNamed returns the ids of up to limit live tasks of an attempt whose full name ends with name, in
	// ascending order.
	FindTasksNamed(ctx context.Context, attempt AttemptID, name string, limit int) ([]TaskID, error)
	// ListOutlines returns the live children of a task in the order of their ids. With a zero parent it returns
	// all tasks of the attempt.
	ListOutlines(ctx context.Context, attempt AttemptID, parent TaskID) ([]TaskOutline, error)
	// CountChildren counts the live children of a task by round and state.
	CountChildren(ctx context.Context, attempt AttemptID, parent TaskID) ([]ChildCount, error)
	// ListReady returns up to limit ready tasks of all attempts, in no order.
	ListReady(ctx context.Context, limit int) ([]BusyTask, error)
	// ListBusy returns up to limit running tasks of all attempts, in no order.
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
	// FindWorkflowKeys returns the values of those keys that stand at the top of an attempt's workflow. It does
	// not read other keys, whose values may have megabytes.
	FindWorkflowKeys(ctx context.Context, attempt AttemptID, keys []string) (*param.Map, error)
	// ListAdmitted returns up to limit attempts of a workflow that are admitted and not done, in the
	// order of their ids.
	ListAdmitted(ctx context.Context, project ProjectID, workflow string, limit int) ([]AttemptID, error)
	// ListTriesOf returns the ended tries of a task in the order of their numbers.
	ListTriesOf(ctx context.Context, attempt AttemptID, task TaskID) ([]Try, error)
	// ListTellingTries returns those ended tries of an attempt that have links or usage, in the order of tasks and numbers.
	ListTellingTries(ctx context.Context, attempt AttemptID) ([]Try, error)
	// ListAuditsAt returns the audit entries of an attempt with one instant.
	ListAuditsAt(ctx context.Context, attempt AttemptID, at time.Time) ([]AuditEntry, error)
}
