package queue

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// What keeps ready tasks from being claimed, in the words of package reason (control K819).
const (
	KeptNoPool      = "pool_missing"
	KeptSmallPool   = "pool_too_small"
	KeptPool        = "pool"
	KeptConcurrency = "concurrency"
	KeptActiveTasks = "max_active_tasks"
	KeptNoAgent     = "no_agent"
	KeptAgentSlots  = "agent_slots"
	KeptSite        = "site_limit"
	KeptNothing     = "dispatch"
)

// kept is what kept a lane from being picked last.
type kept struct {
	by string
	at time.Time
}

// KeptBy returns what kept a task of the backlog from being claimed since it is ready, the last time that
// something did.
func (b *Backlog) KeptBy(attempt trowel.AttemptID, task trowel.TaskID) string {
	e := b.byTry[attempt][task]
	switch {
	case e == nil:
		return KeptNothing
	case e.lane.kept.by != "" && !e.lane.kept.at.Before(e.At):
		return e.lane.kept.by
	case !b.busyAt.Before(e.At):
		return KeptAgentSlots
	}
	return KeptNothing
}

// AllBusy notes that no agent has a free slot now.
func (b *Backlog) AllBusy(now time.Time) { b.busyAt = now }

// keptBy returns which limit keeps a task; empty if there is room.
func (run *picking) keptBy(h *head, r *Ready) string {
	if h.missing {
		return KeptNoPool
	}
	if limit := r.Control.TasksPerAttempt; limit > 0 && run.Limits != nil && run.Limits.Running != nil &&
		run.Limits.Running(r.Attempt)+run.running[r.Attempt] >= limit {
		return KeptActiveTasks
	}
	for _, d := range h.demands {
		if run.Limits.fits(d) && !run.keptFrom(h, r, d) {
			continue
		}
		switch {
		case d.Pool && d.Limit != trowel.Unlimited && d.Amount > d.Limit:
			return KeptSmallPool
		case d.Pool:
			return KeptPool
		case d.Use == SiteUse:
			return KeptSite
		case d.Use == WorkflowUse(r.Workflow):
			return KeptActiveTasks
		}
		return KeptConcurrency
	}
	return ""
}

// noAgent is what keeps a lane for which there is no agent with a free slot.
func (run *picking) noAgent(h *head) string {
	needs := h.items[h.at].Needs
	for i := range run.Slots {
		if run.Slots[i].Agent.Serves(needs) {
			return KeptAgentSlots
		}
	}
	if slices.ContainsFunc(run.Agents, func(a Agent) bool { return a.Serves(needs) }) {
		return KeptAgentSlots
	}
	return KeptNoAgent
}
