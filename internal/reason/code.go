package reason

import (
	trowel "github.com/trowel-project/trowel"
)

// Entry describes a code.
type Entry struct {
	Code   trowel.WaitCode
	State  trowel.TaskState // in which it comes first; Canceling also for ready tasks
	Fields string           // its fields, besides text and since
	About  string           // one sentence
	Mend   string           // what a person can do about it; empty if there is nothing
}

// seeTask is what a person can do about a group that waits for a task in it.
const seeTask = "See the reason of that task."

// Codes returns all codes in the order of their priority within a state. docs/why.md is generated from it.
func Codes() []Entry {
	return []Entry{
		{trowel.WaitCanceling, trowel.TaskBlocked, "by", "The attempt is being killed.", "Wait for what still runs to stop."},
		{trowel.WaitWorkflowPaused, trowel.TaskBlocked, "by, at, note", "The workflow is paused: new attempts wait before their first task.", "`trowel unpause PROJECT WORKFLOW`"},
		{trowel.WaitAttemptsLimit, trowel.TaskBlocked, "limit, active, position", "As many attempts of the workflow are active as its `max_active_attempts` allows. `position` counts from 1 in the order of admission.", "Wait, kill an active attempt, or raise the limit and push."},
		{trowel.WaitBackfill, trowel.TaskBlocked, "state, session, attempt, at", "The attempt belongs to a backfill, which runs one session after the other.", "Wait for, or mend, the session before."},
		{trowel.WaitParent, trowel.TaskBlocked, "task, state", "The group of the task has not begun.", "See the reason of the group."},
		{trowel.WaitParentSkipped, trowel.TaskBlocked, "task", "The task will not run: a group that it is in was skipped.", ""},
		{trowel.WaitParentFailed, trowel.TaskBlocked, "task", "The task will not run: a group that it is in has failed.", "`" + retryForm + "`"},
		{trowel.WaitParentCanceled, trowel.TaskBlocked, "task", "The task will not run: a group that it is in was canceled.", "`" + retryForm + "`"},
		{trowel.WaitNotReached, trowel.TaskBlocked, "rule, upstreams, task", "The task will not run: a task before it, or before a group that it is in, did not succeed. Each of `upstreams` has `task` and `class`: F failed, N not reached, K skipped.", "`" + retryForm + "`"},
		{trowel.WaitUpstream, trowel.TaskBlocked, "rule, open, count", "Tasks before it have not ended. `open` has the first 10 of them, `count` is how many there are.", "See the reasons of those."},
		{trowel.WaitEvaluating, trowel.TaskBlocked, "option", "Options with `${...}` are being evaluated.", "Wait for a moment."},
		{trowel.WaitPoolMissing, trowel.TaskReady, "pool", "No pool has that name.", "`trowel pools set NAME SLOTS`, or mend the name and push."},
		{trowel.WaitPoolTooSmall, trowel.TaskReady, "pool, slots, total", "The task wants more slots than the pool has in all.", "`trowel pools set NAME SLOTS`, or ask for fewer."},
		{trowel.WaitPool, trowel.TaskReady, "pool, slots, open, used_by, position, reserved", "The pool has too few open slots. `used_by` has the first 5 tasks that hold some, `position` counts from 1 among those that want some; `reserved` is the task for which they are kept.", "Wait, or `trowel pools set NAME SLOTS`."},
		{trowel.WaitConcurrency, trowel.TaskReady, "key, limit, active", "As many tasks that share the key are begun as `_concurrency` allows.", "Wait for one of them."},
		{trowel.WaitMaxActiveTasks, trowel.TaskReady, "scope, limit, active", "As many tasks run as `max_active_tasks` of the workflow allows; `scope` is `attempt` or `workflow`.", "Wait, or raise the limit and push."},
		{trowel.WaitNoAgent, trowel.TaskReady, "queue, labels, limits, last_seen_at", "No agent is there that serves the queue, has the labels, keeps the limits that the task asks for, is not drained and does not rest. `limits` has those that are not kept.", "Start an agent for that queue, `trowel agents undrain` one, or free the disk of one that rests. For limits see [limits.md](limits.md#limits-of-commands)."},
		{trowel.WaitAgentSlots, trowel.TaskReady, "queue, agents, slots, position", "All slots of the agents that may run the task are in use.", "Wait, or start another agent."},
		{trowel.WaitSiteLimit, trowel.TaskReady, "limit, active", "As many tasks run in all as `executor.max_running_tasks` allows.", "Wait, or raise the setting."},
		{trowel.WaitDispatch, trowel.TaskReady, "", "None of these: an agent is about to take it.", "Wait for a moment. If it stays: is there a server with `server.executor.enabled`?"},
		{trowel.WaitRetry, trowel.TaskRetryWaiting, "at, retry, limit, failure", "It failed and will be tried again at that time. `retry` counts from 1.", "Wait."},
		{trowel.WaitPoll, trowel.TaskRetryWaiting, "at, checks", "It waits for something outside, and looks again at that time.", "Wait."},
		{trowel.WaitGroupRetry, trowel.TaskGroupRetryWaiting, "at, retry, limit, causes", "Tasks in it failed, and all of it will be repeated at that time. `causes` has the first 3 that failed.", "Wait."},
		{trowel.WaitDeferred, trowel.TaskDeferred, "", "It waits for a trigger, without an agent.", "Wait."},
		{trowel.WaitAwaitingInput, trowel.TaskAwaitingInput, "", "It waits for a person's answer.", "Answer."},
		{trowel.WaitChildren, trowel.TaskPlanned, "counts, task", "Tasks in it have not ended. `counts` has how many are in each state; `task` is the first that is not done.", seeTask},
		{trowel.WaitHandlers, trowel.TaskPlanned, "phase, task", "It has failed, and its `_error` tasks or the alert run.", seeTask},
	}
}

// rankOf returns the places of all codes in Codes.
func rankOf() map[trowel.WaitCode]int {
	ranks := map[trowel.WaitCode]int{}
	for i, e := range Codes() {
		ranks[e.Code] = i
	}
	return ranks
}
