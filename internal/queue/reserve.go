package queue

import (
	"maps"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// reservation keeps the slots of a pool for a task that needs several and has waited for long.
type reservation struct {
	aged int
	at   time.Time
	task trowel.TaskID
}

// reserve finds the tasks that keep others from a pool (control K808): those that need several slots,
// have waited long enough and lack at most slots: also if there are enough now, as some that come later may be
// first in order. Of those that want one pool the first in order has
// it. One that never can have so many slots, or that no agent here serves, keeps nobody.
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
			if d.Code != trowel.WaitPool {
				continue
			}
			other, taken := run.reserved[d.Use]
			if taken && (other.aged > h.aged || other.aged == h.aged && !r.At.Before(other.at)) {
				continue
			}
			if run.reserved == nil {
				run.reserved = map[string]reservation{}
			}
			run.reserved[d.Use] = reservation{h.aged, r.At, r.Task}
		}
	}
}

// wide reports whether a lane waits for nothing but slots, of which it needs several of one pool.
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
		if run.Slots[i].Agent.Serves(h.items[h.at].Needs) {
			return true
		}
	}
	return false
}

// reservedFrom reports whether a pool is reserved for another task that is not of smaller weight and is older.
func (run *picking) reservedFrom(h *head, r *Ready, d Demand) bool {
	other, taken := run.reserved[d.Use]
	if !taken || other.task == r.Task {
		return false
	}
	return other.aged >= h.aged && other.at.Before(r.At)
}
