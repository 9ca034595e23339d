package queue

import (
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
// have waited long enough and lack nothing but slots. Of those that want one pool the first in order has
// it. One that never can have so many slots, or that no agent here serves, keeps nobody.
func (run *picking) reserve() {
	after := run.backlog.rules.ReserveAfter
	if after <= 0 || run.Limits == nil {
		return
	}
	for _, h := range run.heads {
		r := &h.items[h.at].Ready
		if run.Now.Sub(r.At) < after || !run.wide(h) {
			continue
		}
		for _, d := range h.demands {
			if !d.Pool {
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

// wide tells whether a lane waits for nothing but slots, and for several of one pool.
func (run *picking) wide(h *head) bool {
	several, short := false, false
	for _, d := range h.demands {
		fits := run.Limits.fits(d)
		switch {
		case !d.Pool && !fits, d.Limit != trowel.Unlimited && d.Amount > d.Limit:
			return false
		case !fits:
			short = true
		}
		several = several || d.Pool && d.Amount > 1
	}
	if !several || !short || h.missing {
		return false
	}
	for i := range run.Slots {
		if run.Slots[i].Agent.Serves(h.items[h.at].Needs) {
			return true
		}
	}
	return false
}

// keptFrom tells whether a pool is reserved for another task that is not of smaller weight and is older.
func (run *picking) keptFrom(h *head, r *Ready, d Demand) bool {
	other, taken := run.reserved[d.Use]
	if !taken || !d.Pool || other.task == r.Task {
		return false
	}
	return other.aged >= h.aged && other.at.Before(r.At)
}
