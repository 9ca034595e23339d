package trowel

// WaitCode names a reason for which a task or an attempt does not run yet, or never will (control K819). Codes
// never change their meaning; new ones may come (control K820).
type WaitCode string

// The codes that there are; package reason says what each of them means. Those of control K819 that are missing
// here belong to keys that do not exist yet.
const (
	WaitCanceling      WaitCode = "canceling"
	WaitWorkflowPaused WaitCode = "workflow_paused" // also an Attempt.WaitReason (control K816)
	WaitAttemptsLimit  WaitCode = "attempts_limit"  // also an Attempt.WaitReason (control K813)
	WaitBackfill       WaitCode = "backfill"
	WaitParent         WaitCode = "parent"
	WaitParentSkipped  WaitCode = "parent_skipped"
	WaitParentFailed   WaitCode = "parent_failed"
	WaitParentCanceled WaitCode = "parent_canceled"
	WaitNotReached     WaitCode = "not_reached"
	WaitUpstream       WaitCode = "upstream"
	WaitEvaluating     WaitCode = "evaluating" // also a Task.WaitReason (control K109)
	WaitPoolMissing    WaitCode = "pool_missing"
	WaitPoolTooSmall   WaitCode = "pool_too_small"
	WaitPool           WaitCode = "pool"
	WaitConcurrency    WaitCode = "concurrency"
	WaitMaxActiveTasks WaitCode = "max_active_tasks"
	WaitNoAgent        WaitCode = "no_agent"
	WaitAgentSlots     WaitCode = "agent_slots"
	WaitSiteLimit      WaitCode = "site_limit"
	WaitDispatch       WaitCode = "dispatch"
	WaitRetry          WaitCode = "retry"       // also a Task.WaitReason
	WaitPoll           WaitCode = "poll"        // also a Task.WaitReason
	WaitGroupRetry     WaitCode = "group_retry" // also a Task.WaitReason
	WaitDeferred       WaitCode = "deferred"
	WaitAwaitingInput  WaitCode = "awaiting_input"
	WaitChildren       WaitCode = "children"
	WaitHandlers       WaitCode = "handlers"
)

// WaitCodes returns all codes. What has a row or a case for each of them is compared with this list.
func WaitCodes() []WaitCode {
	return []WaitCode{
		WaitCanceling, WaitWorkflowPaused, WaitAttemptsLimit, WaitBackfill, WaitParent, WaitParentSkipped, WaitParentFailed,
		WaitParentCanceled, WaitNotReached, WaitUpstream, WaitEvaluating, WaitPoolMissing, WaitPoolTooSmall, WaitPool, WaitConcurrency,
		WaitMaxActiveTasks, WaitNoAgent, WaitAgentSlots, WaitSiteLimit, WaitDispatch, WaitRetry, WaitPoll, WaitGroupRetry,
		WaitDeferred, WaitAwaitingInput, WaitChildren, WaitHandlers,
	}
}
