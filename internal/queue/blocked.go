package queue

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Blocked is a limit that has no room for a ready task.
type Blocked struct {
	Code trowel.WaitCode
	// Demand is what the task asks of the limit. Its Use is empty for limits without a counter: that of an attempt on
	// its own tasks, and a pool that does not exist.
	Demand Demand
}

// Candidate is a ready task that may be claimed if all limits have room for it.
type Candidate struct {
	Task    *Ready
	Demands []Demand // see Limits.Demands
	Missing bool     // a pool that it names does not exist
	Running int      // how many tasks of its attempt run; needed if these are limited
	// Reserved reports whether a pool is reserved for another task. It is asked about pools that have room.
	Reserved func(Demand) bool
}

// Blocked returns the limits that keep a task from being claimed, in the order of control K819; none if there is room.
// Agents are not considered.
func (l *Limits) Blocked(c Candidate) (list []Blocked) {
	if c.Missing {
		list = append(list, Blocked{Code: trowel.WaitPoolMissing})
	}
	for _, d := range c.Demands {
		if d.tooLarge() {
			list = append(list, Blocked{trowel.WaitPoolTooSmall, d})
		}
	}
	wide := slices.IndexFunc(c.Demands, Demand.ofManyTasks)
	if wide < 0 {
		wide = len(c.Demands)
	}
	list = l.withoutRoom(c, c.Demands[:wide], list)
	if limit := c.Task.Limits.TasksPerAttempt; limit > 0 && c.Running >= limit && !c.Task.Flags.Canceling() {
		list = append(list, Blocked{trowel.WaitMaxActiveTasks, Demand{Amount: 1, Limit: limit}})
	}
	return l.withoutRoom(c, c.Demands[wide:], list)
}

// withoutRoom appends the demands for which there is no room, whatever limit they are made of.
func (l *Limits) withoutRoom(c Candidate, demands []Demand, list []Blocked) []Blocked {
	for _, d := range demands {
		if !d.tooLarge() && (!l.fits(d) || d.Code == trowel.WaitPool && c.Reserved(d)) {
			list = append(list, Blocked{d.Code, d})
		}
	}
	return list
}

// lastBlock is what kept a lane from being picked the last time that something did.
type lastBlock struct {
	by trowel.WaitCode
	at time.Time
}

// BlockedBy returns what last kept a task of the backlog from being claimed since it became ready; WaitDispatch if
// nothing did.
func (b *Backlog) BlockedBy(attempt trowel.AttemptID, task trowel.TaskID) trowel.WaitCode {
	e := b.byTry[attempt][task]
	switch {
	case e == nil:
		return trowel.WaitDispatch
	case e.lane.blocked.by != "" && !e.lane.blocked.at.Before(e.At):
		return e.lane.blocked.by
	case !b.busyAt.Before(e.At):
		return trowel.WaitAgentSlots
	}
	return trowel.WaitDispatch
}

// NoteAllBusy notes that no agent has a free slot now.
func (b *Backlog) NoteAllBusy(now time.Time) { b.busyAt = now }

// noAgent says why no agent takes the head of a lane: none serves it, or those that do have no free slot.
func (run *picking) noAgent(h *head) trowel.WaitCode {
	needs := h.items[h.at].Requirements
	for i := range run.Slots {
		if run.Slots[i].Agent.Serves(needs) {
			return trowel.WaitAgentSlots
		}
	}
	if slices.ContainsFunc(run.Agents, func(a Agent) bool { return a.Serves(needs) }) {
		return trowel.WaitAgentSlots
	}
	return trowel.WaitNoAgent
}
