package queue

import (
	"maps"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// reservation is a task that needs several slots of a pool and has waited for long, for which they are kept.
type reservation struct {
	aged int
	at   time.Time
	task trowel.TaskID
}

// reserve finds the tasks that reserve pools (control K808): they need several slots, have waited long enough and wait
// for slots only, if for anything. A task reserves its pools even if there are enough slots now, because a task that becomes ready later
// may come before it. If several tasks want one pool, the first in order reserves it. A pool without a limit is not reserved. A task
// that wants more slots than the pool has, or that no agent here serves, reserves nothing.
func (run *picking) reserve() {
	after := run.backlog.rules.ReserveAfter
	if after <= 0 || run.Limits == nil {
		return
	}
	run.reserved = maps.Clone(run.backlog.inherited)
	for _, h := range run.heads {
		r := &h.items[h.at].Ready
		if run.Now.Sub(r.At) < after || !run.wide(h) {
			continue
		}
		for _, d := range h.demands {
			if d.Code != trowel.WaitPool || d.Limit == trowel.Unlimited {
				continue
			}
			other, taken := run.reserved[d.Counter]
			if taken && (other.aged > h.aged || other.aged == h.aged && !r.At.Before(other.at)) {
				continue
			}
			if run.reserved == nil {
				run.reserved = map[string]reservation{}
			}
			run.reserved[d.Counter] = reservation{h.aged, r.At, r.Task}
		}
	}
}

// wide reports whether a lane waits only for slots, and needs several of one pool.
func (run *picking) wide(h *head) bool {
	several := false
	for _, d := range h.demands {
		if d.Code != trowel.WaitPool && !run.Limits.fits(d) || d.tooLarge() {
			return false
		}
		several = several || d.Code == trowel.WaitPool && d.Amount > 1 && d.Limit != trowel.Unlimited
	}
	if !several || h.missing {
		return false
	}
	for i := range run.Slots {
		if run.Slots[i].Agent.Serves(h.items[h.at].Requirements) {
			return true
		}
	}
	return false
}

// reservedFrom reports whether a pool is reserved for another task that is older and has at least the same weight.
func (run *picking) reservedFrom(h *head, r *Ready, d Demand) bool {
	other, taken := run.reserved[d.Counter]
	if !taken || other.task == r.Task {
		return false
	}
	return other.aged >= h.aged && other.at.Before(r.At)
}
