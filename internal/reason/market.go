package reason

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// Market is what ready tasks of all attempts compete for.
type Market struct {
	Limits queue.Limits
	// Rules are the rules of the servers' backlogs.
	Rules queue.Rules
	// Agents are all stored agents. Busy is how many tasks each of them runs.
	Agents []*trowel.Agent
	Busy   map[string]int
	// Running is how many tasks of the attempt run.
	Running int
	// Ready and Holders are the ready and running tasks of all attempts, up to some thousands of each.
	Ready, Holders []trowel.BusyTask

	asks []ask // made from Ready when first needed
}

// ask is a ready task with its demands.
type ask struct {
	queue.Ready

	demands []queue.Demand
	named   *trowel.BusyTask
}

// all returns the ready tasks with their demands.
func (m *Market) all() []ask {
	if m.asks == nil {
		m.asks = make([]ask, len(m.Ready))
		for i := range m.Ready {
			b := &m.Ready[i]
			m.asks[i].named = b
			m.asks[i].Ready = queue.Ready{
				Attempt: b.AttemptID, Task: b.TaskID, At: b.ReadyAt, Requirements: b.Requirements, Acquired: b.Acquired,
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
		if a.demands[i].Counter == use {
			return a.demands[i].Amount
		}
	}
	return 0
}

// position is the place of a task, from 1, among those ready tasks for which wants is true; zero if the task is not in
// Ready. It considers weight, aging and age, but not the fair share between workflows, which changes with every claim.
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

// before reports whether a comes before b in the order of claims.
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

// aged is the weight of a task, aging included (control K807).
func (m *Market) aged(r *queue.Ready, now time.Time) int {
	weight := r.Requirements.PriorityWeight()
	if waited := now.Sub(r.At); m.Rules.Aging > 0 && waited > 0 {
		weight += int(waited / m.Rules.Aging)
	}
	return weight
}

// holders are the running tasks that hold some of a counter. With unkept, a task without Acquired holds one.
func (m *Market) holders(use string, unkept bool) []holder {
	var list []holder
	for i := range m.Holders {
		h := &m.Holders[i]
		n := h.Acquired[use]
		if n == 0 && unkept && h.Acquired == nil {
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

// reservedFor returns the task for which a pool is reserved (control K808); nil if it is free for own.
func (m *Market) reservedFor(own *queue.Ready, d queue.Demand, now time.Time) *trowel.BusyTask {
	if m.Rules.ReserveAfter <= 0 {
		return nil
	}
	asks := m.all()
	for i := range asks {
		r := &asks[i]
		wants := r.takes(d.Counter)
		switch {
		case r.Task == own.Task, wants < 2, wants > d.Limit, m.Limits.Available(d) >= wants:
		case now.Sub(r.At) >= m.Rules.ReserveAfter && r.At.Before(own.At) && m.aged(&r.Ready, now) >= m.aged(own, now):
			return r.named
		}
	}
	return nil
}
