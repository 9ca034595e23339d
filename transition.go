package trowel

// Move names a change of a task's state. Every writer of states uses one of these, and Transitions lists
// which states each of them connects.
type Move string

// The moves.
const (
	MoveInsert       Move = "insert"        // a task is made: at the start, by an operator, for a failure, by a group retry
	MoveUnblock      Move = "unblock"       // the parent may run children and all upstreams succeeded
	MoveEvaluate     Move = "evaluate"      // the same, but an agent evaluates options of the task first
	MoveClaim        Move = "claim"         // an agent takes the task
	MoveSuccess      Move = "success"       // the operator, or all children, succeeded
	MoveSubtasks     Move = "subtasks"      // the operator succeeded and has children to run
	MoveError        Move = "error"         // the operator failed
	MoveGroupError   Move = "group_error"   // children failed
	MoveFailureTasks Move = "failure_tasks" // the task failed, and its ^error or ^failure-alert tasks run first
	MoveRetry        Move = "retry"         // the operator asks to be run again
	MoveGroupRetry   Move = "group_retry"   // the failed subtree will be repeated
	MoveRelease      Move = "release"       // the agent is gone, or gave the task back before its end
	MoveDue          Move = "due"           // the instant of a retry, poll or group retry has come
	MoveRestart      Move = "restart"       // a group runs its subtree again
	MoveCancel       Move = "cancel"        // a kill; a task that cannot end at once is flagged and keeps its state
)

// Transition is one row of the table of allowed changes.
type Transition struct {
	From TaskState // the state before
	Move Move      // what happens
	To   TaskState // the state after
	Rule string    // the rule in docs/spec/language.md or control.md
}

// Transitions returns all changes of state that a task may make. docs/states.md draws them.
func Transitions() []Transition {
	return []Transition{
		{TaskBlocked, MoveUnblock, TaskReady, "X9"},
		{TaskBlocked, MoveUnblock, TaskPlanned, "X9"},
		{TaskBlocked, MoveEvaluate, TaskBlocked, "K109"},
		{TaskBlocked, MoveError, TaskError, "K109"},
		{TaskBlocked, MoveFailureTasks, TaskPlanned, "K109"},
		{TaskBlocked, MoveCancel, TaskBlocked, "X46"},
		{TaskBlocked, MoveCancel, TaskCanceled, "X9"},
		{TaskReady, MoveClaim, TaskRunning, "X56"},
		{TaskReady, MoveError, TaskError, "K811"},
		{TaskReady, MoveFailureTasks, TaskPlanned, "K811"},
		{TaskReady, MoveRestart, TaskPlanned, "X37"},
		{TaskReady, MoveCancel, TaskCanceled, "X47"},
		{TaskRunning, MoveSuccess, TaskSuccess, "3.4"},
		{TaskRunning, MoveSubtasks, TaskPlanned, "3.4"},
		{TaskRunning, MoveRetry, TaskRetryWaiting, "X26"},
		{TaskRunning, MoveRelease, TaskReady, "X59a"},
		{TaskRunning, MoveError, TaskError, "3.4"},
		{TaskRunning, MoveFailureTasks, TaskPlanned, "3.4"},
		{TaskRunning, MoveCancel, TaskRunning, "X46"},
		{TaskRunning, MoveCancel, TaskCanceled, "3.4"},
		{TaskRetryWaiting, MoveDue, TaskReady, "X8"},
		{TaskRetryWaiting, MoveCancel, TaskCanceled, "X47"},
		{TaskGroupRetryWaiting, MoveDue, TaskReady, "X8"},
		{TaskGroupRetryWaiting, MoveEvaluate, TaskBlocked, "K109"},
		{TaskGroupRetryWaiting, MoveError, TaskError, "K110"},
		{TaskGroupRetryWaiting, MoveFailureTasks, TaskPlanned, "K110"},
		{TaskGroupRetryWaiting, MoveCancel, TaskCanceled, "X47"},
		{TaskPlanned, MoveSuccess, TaskSuccess, "X13"},
		{TaskPlanned, MoveGroupRetry, TaskGroupRetryWaiting, "X34"},
		{TaskPlanned, MoveFailureTasks, TaskPlanned, "X15"},
		{TaskPlanned, MoveGroupError, TaskGroupError, "X13"},
		{TaskPlanned, MoveError, TaskError, "X13"},
		{TaskPlanned, MoveCancel, TaskPlanned, "X46"},
		{TaskPlanned, MoveCancel, TaskCanceled, "X13"},
	}
}
