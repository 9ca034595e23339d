package trowel

import (
	"context"
	"fmt"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// TaskState is the state of a task. The numbers are stored and never change (language X1). A later version may have
// others, see CheckKnownTask.
type TaskState uint8

const (
	// TaskBlocked waits for its parent and its upstreams. Unblock ends it.
	TaskBlocked TaskState = 0
	// TaskReady may be claimed by an agent. Claim ends it.
	TaskReady TaskState = 1
	// TaskRetryWaiting will be ready again at its RetryAt, for a retry or a poll.
	TaskRetryWaiting TaskState = 2
	// TaskGroupRetryWaiting will repeat its failed subtree at its RetryAt.
	TaskGroupRetryWaiting TaskState = 3
	// TaskRunning is held by an agent under a lease. A report, or the end of the lease, ends it.
	TaskRunning TaskState = 4
	// TaskPlanned has done its own work; it ends when its children cannot go on.
	TaskPlanned TaskState = 5
	// TaskGroupError failed because of its children. Terminal.
	TaskGroupError TaskState = 6
	// TaskSuccess finished successfully. Terminal.
	TaskSuccess TaskState = 7
	// TaskError failed in its own operator. Terminal.
	TaskError TaskState = 8
	// TaskCanceled was stopped by a kill. Terminal.
	TaskCanceled TaskState = 9
	// TaskSkipped was left out on purpose. Terminal.
	TaskSkipped TaskState = 10
	// TaskDeferred waits for a trigger, without an agent.
	TaskDeferred TaskState = 11
	// TaskAwaitingInput waits for a person.
	TaskAwaitingInput TaskState = 12
)

func (s TaskState) String() string {
	switch s {
	case TaskBlocked:
		return "blocked"
	case TaskReady:
		return "ready"
	case TaskRetryWaiting:
		return "retry_waiting"
	case TaskGroupRetryWaiting:
		return "group_retry_waiting"
	case TaskRunning:
		return "running"
	case TaskPlanned:
		return "planned"
	case TaskGroupError:
		return "group_error"
	case TaskSuccess:
		return "success"
	case TaskError:
		return "error"
	case TaskCanceled:
		return "canceled"
	case TaskSkipped:
		return "skipped"
	case TaskDeferred:
		return "deferred"
	case TaskAwaitingInput:
		return "awaiting_input"
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Done reports whether the state is terminal: it is never left (language X2).
func (s TaskState) Done() bool {
	switch s {
	case TaskGroupError, TaskSuccess, TaskError, TaskCanceled, TaskSkipped:
		return true
	case TaskBlocked, TaskReady, TaskRetryWaiting, TaskGroupRetryWaiting, TaskRunning, TaskPlanned,
		TaskDeferred, TaskAwaitingInput:
		return false
	}
	return false
}

// Progressing reports whether a task in this state can go on by itself (language X2).
func (s TaskState) Progressing() bool { return s != TaskBlocked && !s.Done() }

// Failed reports whether the state makes the parent fail (language X2, "error").
func (s TaskState) Failed() bool { return s == TaskError || s == TaskGroupError }

// TaskFlags are the flags of a task, with Digdag's bits (language X4).
type TaskFlags uint16

const (
	// TaskCancelRequested is set by a kill.
	TaskCancelRequested TaskFlags = 1
	// TaskDelayedError marks a failed operator task whose ^error tasks still run.
	TaskDelayedError TaskFlags = 2
	// TaskDelayedGroupError marks a failed group whose failure tasks still run.
	TaskDelayedGroupError TaskFlags = 4
	// TaskInitial marks tasks of the compiled workflow and of ^sub trees (language X5).
	TaskInitial TaskFlags = 8
)

// Task is one task of an attempt.
type Task struct {
	ID        TaskID
	AttemptID AttemptID
	ParentID  TaskID // zero for the root
	FullName  string
	Group     bool // has no operator
	Local     *param.Map
	Export    *param.Map
	Origin    Origin
	Upstreams []TaskID // siblings that must succeed first; a name may stand twice (language C25)

	State TaskState
	Flags TaskFlags
	// Round counts how often the task's own subtree was begun anew, and ParentRound is the Round of
	// its parent in which the task was made. Only children of the present round decide how their
	// parent ends (language X14).
	Round       int
	ParentRound int
	Try         int // number of the present or last try, 1 for the first; zero before the first claim

	RetryCount  int        // wake-ups, polls included (language X32)
	RetryAt     time.Time  // when a waiting task is due; zero otherwise
	WaitReason  WaitCode   // WaitPoll, WaitRetry, WaitGroupRetry or WaitEvaluating; empty for a task that does not wait
	StateParams *param.Map // what the operator keeps between its runs
	Result      Result
	Error       *param.Map // the error object (language X33); nil without a failure
	Masked      Masked     // the places of StateParams and Result that are not shown; those of Export too

	ReadyAt   time.Time // when it last became ready
	ClaimedAt time.Time // when it was last claimed
	StartedAt time.Time // when it was first claimed (language C2)
	UpdatedAt time.Time
	AgentID   string // who holds or held the last try

	Needs  *Needs // what it needs to run; nil for the defaults, and before it was ready
	Holds  Holds  // what it has taken from limits
	Losses int    // how many tries in a row were lost with their agents

	ResumingID TaskID // the task of an earlier attempt whose success stands for this one
	Version    int64  // the attempt's Version at the last change of this task
}

// Result is what a successful operator leaves behind (operators 1.10). Nil maps are empty.
type Result struct {
	Subtasks  *param.Map // body of the ^sub tree
	Export    *param.Map // parameters for the tasks below
	ResetKeys []string   // dotted keys that are removed before Store is merged
	Store     *param.Map // parameters for the tasks below and after
}

// Empty reports whether there is nothing in the result.
func (r Result) Empty() bool {
	return r.Subtasks.Len() == 0 && r.Export.Len() == 0 && len(r.ResetKeys) == 0 && r.Store.Len() == 0
}

// TaskUpdate is one row that changed: the task as it is now and the state that it had when the
// transaction began.
type TaskUpdate struct {
	Task *Task
	From TaskState
	// Detail tells that more than state, flags, rounds and instants changed: state parameters,
	// retry, result, error, needs, holds or losses.
	Detail bool
}

// EndedTasks are all tasks of an attempt that has ended.
type EndedTasks struct {
	AttemptID AttemptID
	Tasks     []*Task
}

// TaskTx reads and writes the live tasks of attempts.
type TaskTx interface {
	// ReserveTaskIDs takes n ids in a row out of use and returns the first. All are larger than any
	// id reserved before.
	ReserveTaskIDs(ctx context.Context, n int) (TaskID, error)
	InsertTasks(ctx context.Context, tasks []*Task) error
	// UpdateTasks moves tasks from one state to another. A row that is not in the expected state is
	// an ErrConflict, and nothing of the transaction may be kept.
	UpdateTasks(ctx context.Context, updates []TaskUpdate) error
	// ListTasks returns the live tasks of an attempt whose Version is larger than newerThan, in the
	// order of their ids.
	ListTasks(ctx context.Context, attempt AttemptID, newerThan int64) ([]*Task, error)
	// ArchiveTasks moves the tasks of ended attempts into their archive rows. An attempt that has been
	// archived is an ErrConflict.
	ArchiveTasks(ctx context.Context, at time.Time, ended ...EndedTasks) error
	// ListArchivedTasks returns the archived tasks of an attempt, in the order of their ids.
	ListArchivedTasks(ctx context.Context, attempt AttemptID) ([]*Task, error)
	// InsertTries stores ended tries. One that is stored already is an ErrConflict.
	InsertTries(ctx context.Context, tries []Try) error
	// ListTries returns the ended tries of an attempt, in the order in which they ended.
	ListTries(ctx context.Context, attempt AttemptID) ([]Try, error)
}
