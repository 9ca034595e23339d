package reason

import (
	trowel "github.com/trowel-project/trowel"
)

// Code names a reason. Codes never change their meaning; new ones may come (control K820).
type Code string

// The codes that there are, see Codes. Those of control K819 that are missing here belong to keys that do
// not exist yet.
const (
	Canceling      Code = "canceling"
	WorkflowPaused Code = "workflow_paused"
	AttemptsLimit  Code = "attempts_limit"
	Backfill       Code = "backfill"
	Parent         Code = "parent"
	ParentSkipped  Code = "parent_skipped"
	ParentFailed   Code = "parent_failed"
	ParentCanceled Code = "parent_canceled"
	NotReached     Code = "not_reached"
	Upstream       Code = "upstream"
	Evaluating     Code = "evaluating"
	PoolMissing    Code = "pool_missing"
	PoolTooSmall   Code = "pool_too_small"
	Pool           Code = "pool"
	Concurrency    Code = "concurrency"
	MaxActiveTasks Code = "max_active_tasks"
	NoAgent        Code = "no_agent"
	AgentSlots     Code = "agent_slots"
	SiteLimit      Code = "site_limit"
	Dispatch       Code = "dispatch"
	Retry          Code = "retry"
	Poll           Code = "poll"
	GroupRetry     Code = "group_retry"
	Deferred       Code = "deferred"
	AwaitingInput  Code = "awaiting_input"
	Children       Code = "children"
	Handlers       Code = "handlers"
)

// Entry describes a code.
type Entry struct {
	Code   Code
	State  trowel.TaskState // in which it is told first; Canceling also of ready tasks
	Fields string           // what it carries, besides text and since
	About  string           // one sentence
	Mend   string           // what a person can do about it; empty if there is nothing
}

// Codes returns all codes in the order in which they are chosen within their state. docs/why.md is made of it.
func Codes() []Entry {
	return []Entry{
		{Canceling, trowel.TaskBlocked, "by", "The attempt is being killed.", "Wait for what still runs to stop."},
		{WorkflowPaused, trowel.TaskBlocked, "by, at, note", "The workflow is paused: new attempts wait before their first task.", "`trowel unpause PROJECT WORKFLOW`"},
		{AttemptsLimit, trowel.TaskBlocked, "limit, active, position", "As many attempts of the workflow are active as its `max_active_attempts` allows. `position` counts from 1 in the order of admission.", "Wait, kill an active attempt, or raise the limit and push."},
		{Backfill, trowel.TaskBlocked, "state, session, attempt, at", "The attempt belongs to a backfill, which runs one session after the other.", "Wait for, or mend, the session before."},
		{Parent, trowel.TaskBlocked, "task, state", "The group of the task has not begun.", "See the reason of the group."},
		{ParentSkipped, trowel.TaskBlocked, "task", "The task will not run: a group that it is in was skipped.", ""},
		{ParentFailed, trowel.TaskBlocked, "task", "The task will not run: a group that it is in has failed.", "`trowel retry ATTEMPT --latest-revision --resume`"},
		{ParentCanceled, trowel.TaskBlocked, "task", "The task will not run: a group that it is in was canceled.", "`trowel retry ATTEMPT --latest-revision --resume`"},
		{NotReached, trowel.TaskBlocked, "rule, upstreams, task", "The task will not run: a task before it, or before a group that it is in, did not succeed. Each of `upstreams` has `task` and `class`: F failed, N not reached, K skipped.", "`trowel retry ATTEMPT --latest-revision --resume`"},
		{Upstream, trowel.TaskBlocked, "rule, open, count", "Tasks before it have not ended. `open` has the first 10 of them, `count` is how many there are.", "See the reasons of those."},
		{Evaluating, trowel.TaskBlocked, "option", "Options with `${...}` are being evaluated.", "Wait for a moment."},
		{PoolMissing, trowel.TaskReady, "pool", "No pool has that name.", "`trowel pools set NAME SLOTS`, or mend the name and push."},
		{PoolTooSmall, trowel.TaskReady, "pool, slots, total", "The task wants more slots than the pool has in all.", "`trowel pools set NAME SLOTS`, or ask for fewer."},
		{Pool, trowel.TaskReady, "pool, slots, open, used_by, position, reserved", "The pool has too few open slots. `used_by` has the first 5 tasks that hold some, `position` counts from 1 among those that want some; `reserved` is the task for which they are kept.", "Wait, or `trowel pools set NAME SLOTS`."},
		{Concurrency, trowel.TaskReady, "key, limit, active", "As many tasks that share the key are begun as `_concurrency` allows.", "Wait for one of them."},
		{MaxActiveTasks, trowel.TaskReady, "scope, limit, active", "As many tasks run as `max_active_tasks` of the workflow allows; `scope` is `attempt` or `workflow`.", "Wait, or raise the limit and push."},
		{NoAgent, trowel.TaskReady, "queue, labels, last_seen_at", "No agent is there that serves the queue, has the labels, is not drained and does not rest.", "Start an agent for that queue, `trowel agents undrain` one, or free the disk of one that rests."},
		{AgentSlots, trowel.TaskReady, "queue, agents, slots, position", "All slots of the agents that may run the task are in use.", "Wait, or start another agent."},
		{SiteLimit, trowel.TaskReady, "limit, active", "As many tasks run in all as `executor.max_running_tasks` allows.", "Wait, or raise the setting."},
		{Dispatch, trowel.TaskReady, "", "None of these: an agent is about to take it.", "Wait for a moment. If it stays: is there a server with `server.executor.enabled`?"},
		{Retry, trowel.TaskRetryWaiting, "at, retry, limit, failure", "It failed and will be tried again at that time. `retry` counts from 1.", "Wait."},
		{Poll, trowel.TaskRetryWaiting, "at, checks", "It waits for something outside, and looks again at that time.", "Wait."},
		{GroupRetry, trowel.TaskGroupRetryWaiting, "at, retry, limit, causes", "Tasks in it failed, and all of it will be repeated at that time. `causes` has the first 3 that failed.", "Wait."},
		{Deferred, trowel.TaskDeferred, "", "It waits for a trigger, without an agent.", "Wait."},
		{AwaitingInput, trowel.TaskAwaitingInput, "", "It waits for a person's answer.", "Answer."},
		{Children, trowel.TaskPlanned, "counts, task", "Tasks in it have not ended. `counts` has how many are in each state; `task` is the first that is not done.", "See the reason of that task."},
		{Handlers, trowel.TaskPlanned, "phase, task", "It has failed, and its `_error` tasks or the alert run.", "See the reason of that task."},
	}
}

// rankOf returns the places of all codes in Codes.
func rankOf() map[Code]int {
	ranks := map[Code]int{}
	for i, e := range Codes() {
		ranks[e.Code] = i
	}
	return ranks
}
