package trowel

// Transition names a change of a task's state. Every writer of states uses one of these, and Transitions lists
// which states each of them connects.
type Transition string

// The moves.
const (
	TransitionInsert       Transition = "insert"        // a task is made: at the start, by an operator, for a failure, by a group retry
	TransitionUnblock      Transition = "unblock"       // the parent may run children and all upstreams succeeded
	TransitionEvaluate     Transition = "evaluate"      // the same, but an agent evaluates options of the task first
	TransitionClaim        Transition = "claim"         // an agent takes the task
	TransitionSuccess      Transition = "success"       // the operator, or all children, succeeded
	TransitionSubtasks     Transition = "subtasks"      // the operator succeeded and has children to run
	TransitionError        Transition = "error"         // the operator failed
	TransitionGroupError   Transition = "group_error"   // children failed
	TransitionFailureTasks Transition = "failure_tasks" // the task failed, and its ^error or ^failure-alert tasks run first
	TransitionRetry        Transition = "retry"         // the operator asks to be run again
	TransitionGroupRetry   Transition = "group_retry"   // the failed subtree will be repeated
	TransitionRelease      Transition = "release"       // the agent is gone, or gave the task back before its end
	TransitionDue          Transition = "due"           // the instant of a retry, poll or group retry has come
	TransitionRestart      Transition = "restart"       // a group runs its subtree again
	TransitionCancel       Transition = "cancel"        // a kill; a task that cannot end at once is flagged and keeps its state
	TransitionCancelJob    Transition = "cancel_job"    // a killed task has a job outside, which one more try is to cancel
)

// TransitionRule is one row of the table of allowed changes.
type TransitionRule struct {
	From       TaskState  // the state before
	Transition Transition // what happens
	To         TaskState  // the state after
	Rule       string     // the rule in docs/spec/language.md or control.md
}

// TransitionRules returns all changes of state that a task may make. docs/states.md draws them.
func TransitionRules() []TransitionRule {
	return []TransitionRule{
		{TaskBlocked, TransitionUnblock, TaskReady, "X9"},
		{TaskBlocked, TransitionUnblock, TaskPlanned, "X9"},
		{TaskBlocked, TransitionEvaluate, TaskBlocked, "K109"},
		{TaskBlocked, TransitionError, TaskError, "K109"},
		{TaskBlocked, TransitionFailureTasks, TaskPlanned, "K109"},
		{TaskBlocked, TransitionCancel, TaskBlocked, "X46"},
		{TaskBlocked, TransitionCancel, TaskCanceled, "X9"},
		{TaskReady, TransitionClaim, TaskRunning, "X56"},
		{TaskReady, TransitionError, TaskError, "K811"},
		{TaskReady, TransitionFailureTasks, TaskPlanned, "K811"},
		{TaskReady, TransitionRestart, TaskPlanned, "X37"},
		{TaskReady, TransitionCancel, TaskCanceled, "X47"},
		{TaskReady, TransitionCancelJob, TaskReady, "X49"},
		{TaskRunning, TransitionSuccess, TaskSuccess, "3.4"},
		{TaskRunning, TransitionSubtasks, TaskPlanned, "3.4"},
		{TaskRunning, TransitionRetry, TaskRetryWaiting, "X26"},
		{TaskRunning, TransitionRelease, TaskReady, "X59a"},
		{TaskRunning, TransitionError, TaskError, "3.4"},
		{TaskRunning, TransitionFailureTasks, TaskPlanned, "3.4"},
		{TaskRunning, TransitionCancel, TaskRunning, "X46"},
		{TaskRunning, TransitionCancel, TaskCanceled, "3.4"},
		{TaskRunning, TransitionCancelJob, TaskReady, "X49"},
		{TaskRetryWaiting, TransitionDue, TaskReady, "X8"},
		{TaskRetryWaiting, TransitionCancel, TaskCanceled, "X47"},
		{TaskRetryWaiting, TransitionCancelJob, TaskReady, "X49"},
		{TaskGroupRetryWaiting, TransitionDue, TaskReady, "X8"},
		{TaskGroupRetryWaiting, TransitionEvaluate, TaskBlocked, "K109"},
		{TaskGroupRetryWaiting, TransitionError, TaskError, "K110"},
		{TaskGroupRetryWaiting, TransitionFailureTasks, TaskPlanned, "K110"},
		{TaskGroupRetryWaiting, TransitionCancel, TaskCanceled, "X47"},
		{TaskPlanned, TransitionSuccess, TaskSuccess, "X13"},
		{TaskPlanned, TransitionGroupRetry, TaskGroupRetryWaiting, "X34"},
		{TaskPlanned, TransitionFailureTasks, TaskPlanned, "X15"},
		{TaskPlanned, TransitionGroupError, TaskGroupError, "X13"},
		{TaskPlanned, TransitionError, TaskError, "X13"},
		{TaskPlanned, TransitionCancel, TaskPlanned, "X46"},
		{TaskPlanned, TransitionCancel, TaskCanceled, "X13"},
	}
}
