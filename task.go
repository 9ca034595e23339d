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
	// TaskBlocked waits for its parent and its upstreams. MoveUnblock ends it.
	TaskBlocked TaskState = 0
	// TaskReady may be claimed by an agent. MoveClaim ends it.
	TaskReady TaskState = 1
	// TaskRetryWaiting will be ready again at its RetryAt, for a retry or a poll.
	TaskRetryWaiting TaskState = 2
	// TaskGroupRetryWaiting will repeat its failed subtree at its RetryAt.
	TaskGroupRetryWaiting TaskState = 3
	// TaskRunning runs on an agent under a lease. A report, or the end of the lease, ends it.
	TaskRunning TaskState = 4
	// TaskPlanned has done its own work and has children. It ends when none of them can go on.
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

// String returns the name of the state, as it is stored in the audit.
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

// Done reports whether the state is terminal, so that the task never leaves it (language X2).
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

// Progressing reports whether a task in this state can go on without others (language X2).
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
	// TaskHasJob marks a task that has begun something outside which goes on, or may go on, and which its state
	// parameters name. A kill cancels it with a further try.
	TaskHasJob TaskFlags = 16
)

// Canceling reports whether the task, unless it is done, runs again only to cancel its job.
func (f TaskFlags) Canceling() bool {
	return f&(TaskCancelRequested|TaskHasJob) == TaskCancelRequested|TaskHasJob
}

// Task is one task of an attempt.
type Task struct {
	// ID is unique among the tasks of all attempts. ReserveTaskIDs assigns it.
	ID TaskID

	// AttemptID is the attempt of the task.
	AttemptID AttemptID

	// ParentID is the group, or the operator task, that the task belongs to. Zero for the root.
	ParentID TaskID

	// FullName is the path of names from the root, such as "+load+fetch".
	FullName string

	// Group is set for a task that has no operator.
	Group bool

	// Local has the task's own keys, not evaluated.
	Local *param.Map

	// Export has the parameters of the task's _export, not evaluated.
	Export *param.Map

	// Origin is where the task is written. Empty if it is not known.
	Origin Origin

	// Upstreams are the siblings that must succeed first. One may stand twice (language C25).
	Upstreams []TaskID

	// State is the present state. only a Transition changes it.
	State TaskState

	// Flags are set besides the state. Zero for none.
	Flags TaskFlags

	// Round counts how often the task's own subtree was repeated. Zero for the first time.
	Round int

	// ParentRound is the Round of the parent in which the task was made. Only children of the present round
	// decide how their parent ends (language X14).
	ParentRound int

	// Try is the number of the present or last try, from 1. Zero before the first claim.
	Try int

	// RetryCount counts how often the task was woken up for a retry or poll (language X32).
	RetryCount int

	// RetryAt is when a waiting task is due. Zero otherwise.
	RetryAt time.Time

	// WaitReason is why a waiting task waits: "poll", "retry" or "group_retry". It is WaitEvaluating for a blocked
	// task whose options are being evaluated. Else empty.
	WaitReason WaitCode

	// StateParams are what the operator keeps between its tries. Nil or empty for nothing.
	StateParams *param.Map

	// Result is what the operator left behind. Empty before it succeeds.
	Result Result

	// Error is the error object (language X33). Nil or empty without a failure.
	Error *param.Map

	// Masked are the places in StateParams, Result and Export that are not shown, as they contain secrets.
	Masked Masked

	// ReadyAt is when the task last became ready. Zero before.
	ReadyAt time.Time

	// ClaimedAt is when the task was last claimed. Zero before.
	ClaimedAt time.Time

	// StartedAt is when the task was first claimed (language C2). Zero before.
	StartedAt time.Time

	// UpdatedAt is when the task last changed.
	UpdatedAt time.Time

	// AgentID is the agent of the present or last try. Empty before the first claim.
	AgentID string

	// Requirements are what the task needs to run. Nil for the defaults, and before the task was ready.
	Requirements *Requirements

	// Acquired are what the task has taken from limits. Nil for nothing.
	Acquired Acquired

	// Losses is how many tries in a row were lost with their agents.
	Losses int

	// ResumingID is the task of an earlier attempt whose success stands for this one. Zero for none.
	ResumingID TaskID

	// Version is the attempt's Version at the last change of the task.
	Version int64
}

// Result is what a successful operator leaves behind (operators 1.10). Nil maps are empty.
type Result struct {
	Subtasks  *param.Map // the body of the ^sub tree, not evaluated
	Export    *param.Map // parameters for the tasks below
	ResetKeys []string   // dotted keys that are removed before Store is merged
	Store     *param.Map // parameters for the tasks below and after
}

// Empty reports whether there is nothing in the result.
func (r Result) Empty() bool {
	return r.Subtasks.Len() == 0 && r.Export.Len() == 0 && len(r.ResetKeys) == 0 && r.Store.Len() == 0
}

// TaskUpdate is a changed row of a task.
type TaskUpdate struct {
	Task   *Task     // the task as it is now
	From   TaskState // its state when the transaction began
	Detail bool      // more changed than state, flags, rounds and instants: state parameters, retry, result, error, needs, holds or losses
	// Ended reports whether nothing changed but what the end of a try changes: state and flags. Round, try, agent and the
	// instants of the try are as they are stored.
	Ended bool
}

// EndedTasks are all tasks of an attempt that has ended.
type EndedTasks struct {
	AttemptID AttemptID // the attempt
	Tasks     []*Task   // in the order of their ids
}

// TaskTx is the part of a transaction about tasks and tries. A task is live until its attempt ends. Then it is
// archived.
type TaskTx interface {
	// ReserveTaskIDs reserves n consecutive ids and returns the first. They are larger than all that were reserved
	// before.
	ReserveTaskIDs(ctx context.Context, n int) (TaskID, error)
	// InsertTasks stores new tasks.
	InsertTasks(ctx context.Context, tasks []*Task) error
	// UpdateTasks moves tasks from one state to another. If a task is not in the expected state, that is
	// an ErrConflict, and the transaction must be rolled back.
	UpdateTasks(ctx context.Context, updates []TaskUpdate) error
	// ListTasks returns the live tasks of an attempt whose Version is larger than newerThan, in the
	// order of their ids.
	ListTasks(ctx context.Context, attempt AttemptID, newerThan int64) ([]*Task, error)
	// ArchiveTasks moves the tasks of ended attempts into their archive rows. If an attempt is archived already,
	// that is an ErrConflict.
	ArchiveTasks(ctx context.Context, at time.Time, ended ...EndedTasks) error
	// ListArchivedTasks returns the archived tasks of an attempt, in the order of their ids.
	ListArchivedTasks(ctx context.Context, attempt AttemptID) ([]*Task, error)
	// FindArchivedTasks returns those of the archived tasks of an attempt that have these ids, in the order of their ids. It
	// does not read the whole archive.
	FindArchivedTasks(ctx context.Context, attempt AttemptID, ids []TaskID) ([]*Task, error)
	// InsertTries stores ended tries. If one is stored already, that is an ErrConflict.
	InsertTries(ctx context.Context, tries []Try) error
	// ListTries returns the ended tries of an attempt, in the order in which they ended.
	ListTries(ctx context.Context, attempt AttemptID) ([]Try, error)

	// InsertResumed stores tasks of an earlier attempt whose success counts in a new one. They stand for tasks
	// that are yet to be generated (language X69).
	InsertResumed(ctx context.Context, attempt AttemptID, tasks []*Task) error
	// ListResumed returns what InsertResumed stored for an attempt, in the order of full names.
	ListResumed(ctx context.Context, attempt AttemptID) ([]*Task, error)
	// DeleteResumed deletes what InsertResumed stored for an attempt.
	DeleteResumed(ctx context.Context, attempt AttemptID) error
}
