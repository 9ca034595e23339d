package queue

import (
	"container/heap"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Slot is an agent and how many more tasks it takes.
type Slot struct {
	Agent Agent
	Free  int
}

// Picking says what Pick may choose from.
type Picking struct {
	Slots  []Slot  // Free goes down with each task that an agent is given
	Limits *Limits // Counters goes up with what is taken; nil for no limits
	Now    time.Time
	Agents []Agent // all agents, also without a free slot: a busy agent is told from a missing one, and preferred to one with too low bounds
}

// Picked is a task for an agent, with what it takes from counters.
type Picked struct {
	Ready
	Agent   Agent
	Demands []Demand
}

// Pick chooses tasks as long as one may run and an agent takes it. The larger weight comes first, aging included; then
// the workflow with the fewest running tasks; then the task that has been ready longer; then the smaller id (control
// K807). The backlog's tasks stay as they are. limited reports whether a limit kept a task from being chosen. full are
// the tasks that fail because their limit is full (control K811).
func (b *Backlog) Pick(p Picking) (picks []Picked, full []Ready, limited bool) {
	run := picking{Picking: p, backlog: b, shares: map[trowel.WorkflowName]int{}, running: map[trowel.AttemptID]int{}}
	for i := range p.Slots {
		run.free += max(p.Slots[i].Free, 0)
	}
	if run.free == 0 {
		b.NoteAllBusy(p.Now)
	}
	b.reserved = nil
	if run.free == 0 || b.count == 0 {
		return nil, nil, false
	}
	run.begin()
	picks = make([]Picked, 0, min(run.free, b.count))
	for run.free > 0 && len(run.heads) > 0 {
		h := run.heads[0]
		if share := run.share(h.key.workflow); share != h.share {
			h.share = share
			heap.Fix(&run.heads, 0)
			continue
		}
		e := h.items[h.at]
		agent := run.agentFor(h)
		if agent == nil || !run.room(h, &e.Ready) {
			if agent == nil {
				h.blocked = lastBlock{run.noAgent(h), p.Now}
			}
			heap.Pop(&run.heads)
			continue
		}
		picks = append(picks, Picked{Ready: e.Ready, Agent: agent, Demands: h.demands})
		run.take(h, &e.Ready)
		if h.at = h.next(h.at + 1); h.at < 0 {
			heap.Pop(&run.heads)
			continue
		}
		h.aged = h.items[h.at].aged(p.Now, b.rules.Aging)
		heap.Fix(&run.heads, 0)
	}
	if len(run.heads) > 0 {
		b.NoteAllBusy(p.Now)
	}
	return picks, run.full, run.limited
}

// picking is one run of Pick.
type picking struct {
	Picking

	backlog  *Backlog
	heads    heads
	free     int
	shares   map[trowel.WorkflowName]int // of picked tasks
	running  map[trowel.AttemptID]int
	reserved map[string]reservation // by the pool's counter
	limited  bool
	full     []Ready
	next     int // the agent to ask first
}

// head is a lane and the place of its next task.
type head struct {
	*lane

	at      int
	aged    int
	share   int
	demands []Demand
	missing bool // a pool that the task names does not exist
}

func (run *picking) begin() {
	run.heads = make(heads, 0, len(run.backlog.lanes))
	for _, l := range run.backlog.lanes {
		at := l.next(0)
		h := &head{lane: l, at: at, aged: l.items[at].aged(run.Now, run.backlog.rules.Aging), share: run.share(l.key.workflow)}
		demands, missing := run.Limits.Demands(&l.items[at].Ready)
		h.demands, h.missing = demands, missing != ""
		run.heads = append(run.heads, h)
	}
	run.reserve()
	run.backlog.reserved = run.reserved
	heap.Init(&run.heads)
}

func (run *picking) share(w trowel.WorkflowName) int { return run.backlog.shares[w] + run.shares[w] }

// agentFor returns an agent that serves a lane and has a free slot; nil if there is none. Agents take turns. An agent whose
// bounds are too low for the limits of the lane, so that the task fails, is chosen only if there is no other one, be it busy
// (control K823).
func (run *picking) agentFor(h *head) Agent {
	needs, low := h.items[h.at].Requirements, -1
	for i := range run.Slots {
		at := (run.next + i) % len(run.Slots)
		s := &run.Slots[at]
		if s.Free <= 0 || !s.Agent.Serves(needs) {
			continue
		}
		if s.Agent.Allows(needs) {
			run.next = at
			return s.Agent
		}
		if low < 0 {
			low = at
		}
	}
	if low < 0 || run.allowed(needs) {
		return nil
	}
	run.next = low
	return run.Slots[low].Agent
}

// allowed reports whether the limits of a task are within the bounds of an agent that serves it.
func (run *picking) allowed(n *trowel.Requirements) bool {
	allows := func(a Agent) bool { return a.Serves(n) && a.Allows(n) }
	return slices.ContainsFunc(run.Agents, allows) || slices.ContainsFunc(run.Slots, func(s Slot) bool { return allows(s.Agent) })
}

// room reports whether all limits let a task run.
func (run *picking) room(h *head, r *Ready) bool {
	c := Candidate{
		Task: r, Demands: h.demands, Missing: h.missing, Reserved: func(d Demand) bool { return run.reservedFrom(h, r, d) },
	}
	if r.Limits.TasksPerAttempt > 0 && run.Limits != nil && run.Limits.Running != nil {
		c.Running = run.Limits.Running(r.Attempt) + run.running[r.Attempt]
	}
	blocked := run.Limits.Blocked(c)
	if len(blocked) == 0 {
		return true
	}
	h.blocked = lastBlock{blocked[0].Code, run.Now}
	run.limited = true
	run.noteFull(h)
	return false
}

// noteFull notes the tasks of a lane that fail because its concurrency limit is full.
func (run *picking) noteFull(h *head) {
	if run.Limits == nil || FullConcurrency(run.Limits, &h.items[h.at].Ready) == "" {
		return
	}
	for at := h.at; at >= 0; at = h.next(at + 1) {
		run.full = append(run.full, h.items[at].Ready)
	}
}

func (run *picking) take(h *head, r *Ready) {
	for _, d := range h.demands {
		run.Limits.Counters[d.Counter] += d.Amount
	}
	run.Slots[run.next].Free--
	run.next = (run.next + 1) % len(run.Slots)
	run.free--
	run.shares[r.Workflow]++
	run.running[r.Attempt]++
}

// heads implements heap.Interface; the top is picked next.
type heads []*head

func (q heads) Len() int      { return len(q) }
func (q heads) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q heads) Less(i, j int) bool {
	a, b := q[i], q[j]
	switch {
	case a.aged != b.aged:
		return a.aged > b.aged
	case a.share != b.share:
		return a.share < b.share
	}
	return a.items[a.at].older(&b.items[b.at].Ready)
}

func (q *heads) Push(x any) { *q = append(*q, x.(*head)) } //nolint:forcetypeassert // the heap holds nothing else
func (q *heads) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}
