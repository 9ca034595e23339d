package reason

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// Market is what ready tasks of all attempts compete for.
type Market struct {
	Limits queue.Limits
	// Rules are those of the servers' backlogs.
	Rules queue.Rules
	// Agents are all that are stored, Busy is how many tasks each of them runs.
	Agents []*trowel.Agent
	Busy   map[string]int
	// Running is how many tasks of the attempt run.
	Running int
	// Ready and Holders are the ready and running tasks of all attempts; those that more than some
	// thousands are left out.
	Ready, Holders []trowel.BusyTask

	asks []ask // made of Ready when they are first needed
}

// ask is a ready task as a backlog has it, with what it takes from counters.
type ask struct {
	queue.Ready

	demands []queue.Demand
	named   *trowel.BusyTask
}

// all returns what the ready tasks ask for.
func (m *Market) all() []ask {
	if m.asks == nil {
		m.asks = make([]ask, len(m.Ready))
		for i := range m.Ready {
			b := &m.Ready[i]
			m.asks[i].named = b
			m.asks[i].Ready = queue.Ready{
				Attempt: b.AttemptID, Task: b.TaskID, At: b.ReadyAt, Needs: b.Needs, Held: b.Holds,
				Workflow: trowel.WorkflowName{ProjectID: b.ProjectID, Name: b.Workflow},
			}
			m.asks[i].demands, _ = m.Limits.Demands(&m.asks[i].Ready)
		}
	}
	return m.asks
}

// takes returns how much a task takes from a counter; zero for nothing.
func (a *ask) takes(use string) int {
	for i := range a.demands {
		if a.demands[i].Use == use {
			return a.demands[i].Amount
		}
	}
	return 0
}

// position is the place of a task, from 1, among the ready ones of which wants is true; zero if the task is
// not among those that are known. It heeds weight, aging and age; the fair share between workflows moves
// with every claim.
func (m *Market) position(own *queue.Ready, now time.Time, wants func(a *ask) bool) int {
	before, known := 0, false
	asks := m.all()
	for i := range asks {
		a := &asks[i]
		if a.Task == own.Task {
			known = true
		} else if m.before(&a.Ready, own, now) && wants(a) {
			before++
		}
	}
	if !known {
		return 0
	}
	return before + 1
}

// before reports whether a task comes before another in the order of claims.
func (m *Market) before(a, b *queue.Ready, now time.Time) bool {
	wa, wb := m.aged(a, now), m.aged(b, now)
	switch {
	case wa != wb:
		return wa > wb
	case !a.At.Equal(b.At):
		return a.At.Before(b.At)
	}
	return a.Task < b.Task
}

// aged is the weight of a task with what waiting adds to it (control K807).
func (m *Market) aged(r *queue.Ready, now time.Time) int {
	weight := r.Needs.PriorityWeight()
	if waited := now.Sub(r.At); m.Rules.Aging > 0 && waited > 0 {
		weight += int(waited / m.Rules.Aging)
	}
	return weight
}

// holders are the running tasks that hold some of a counter. unkept tells that those without Holds hold one.
func (m *Market) holders(use string, unkept bool) []holder {
	var list []holder
	for i := range m.Holders {
		h := &m.Holders[i]
		n := h.Holds[use]
		if n == 0 && unkept && h.Holds == nil {
			n = 1
		}
		if n > 0 {
			list = append(list, holder{h, n})
		}
	}
	return list
}

type holder struct {
	*trowel.BusyTask

	amount int
}

// reservedFor returns the task for which a pool is kept from another (control K808); nil if it is not.
func (m *Market) reservedFor(own *queue.Ready, d queue.Demand, now time.Time) *trowel.BusyTask {
	if m.Rules.ReserveAfter <= 0 {
		return nil
	}
	asks := m.all()
	for i := range asks {
		r := &asks[i]
		wants := r.takes(d.Use)
		switch {
		case r.Task == own.Task, wants < 2, wants > d.Limit, m.Limits.Open(d) >= wants:
		case now.Sub(r.At) >= m.Rules.ReserveAfter && r.At.Before(own.At) && m.aged(&r.Ready, now) >= m.aged(own, now):
			return r.named
		}
	}
	return nil
}
