package queue

import (
	"container/heap"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Slot is an agent with the number of tasks that it takes.
type Slot struct {
	Agent Agent
	Free  int
}

// Picking says what may be picked.
type Picking struct {
	Slots  []Slot  // what is given to an agent is taken from its Free
	Limits *Limits // what is taken is added to its Uses; nil for no limits
	Now    time.Time
	Agents []Agent // those without a free slot too, so that BlockedBy knows busy agents from missing ones
}

// Picked is a task for an agent, with what it takes from counters.
type Picked struct {
	Ready
	Agent   Agent
	Demands []Demand
}

// Pick chooses tasks as long as there are some that may run and an agent that takes them: the larger
// weight first, aging included; then that of the workflow of which fewest run; then who was ready first;
// then the smaller id (control K807). It changes nothing in the backlog. limited tells that a limit kept
// some from being chosen, and full are the tasks that are to fail for it (control K811).
func (b *Backlog) Pick(p Picking) (picks []Picked, full []Ready, limited bool) {
	run := picking{Picking: p, backlog: b, shares: map[trowel.WorkflowName]int{}, running: map[trowel.AttemptID]int{}}
	for i := range p.Slots {
		run.free += max(p.Slots[i].Free, 0)
	}
	if run.free == 0 {
		b.AllBusy(p.Now)
	}
	b.reserved = nil
	if run.free == 0 || b.count == 0 {
		return nil, nil, false
	}
	run.begin()
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
		if h.at = h.from(h.at + 1); h.at < 0 {
			heap.Pop(&run.heads)
			continue
		}
		h.aged = h.items[h.at].aged(p.Now, b.rules.Aging)
		heap.Fix(&run.heads, 0)
	}
	if len(run.heads) > 0 {
		b.AllBusy(p.Now)
	}
	return picks, run.full, run.limited
}

// picking is one run of Pick.
type picking struct {
	Picking

	backlog  *Backlog
	heads    heads
	free     int
	shares   map[trowel.WorkflowName]int // what was picked
	running  map[trowel.AttemptID]int
	reserved map[string]reservation // by the counter of the pool
	limited  bool
	full     []Ready
	next     int // the agent whose turn it is
}

// head is a lane with the place of the task whose turn it is in it.
type head struct {
	*lane

	at      int
	aged    int
	share   int
	demands []Demand
	missing bool // a pool of the demands does not exist
}

func (run *picking) begin() {
	run.heads = make(heads, 0, len(run.backlog.lanes))
	for _, l := range run.backlog.lanes {
		at := l.from(0)
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

// agentFor returns the agent that serves a lane and has room, in turns; nil if there is none.
func (run *picking) agentFor(h *head) Agent {
	for i := range run.Slots {
		at := (run.next + i) % len(run.Slots)
		s := &run.Slots[at]
		if s.Free > 0 && s.Agent.Serves(h.items[h.at].Needs) {
			run.next = at
			return s.Agent
		}
	}
	return nil
}

// room reports whether all limits let a task run.
func (run *picking) room(h *head, r *Ready) bool {
	c := Candidate{
		Task: r, Demands: h.demands, Missing: h.missing, Reserved: func(d Demand) bool { return run.reservedFrom(h, r, d) },
	}
	if r.Control.TasksPerAttempt > 0 && run.Limits != nil && run.Limits.Running != nil {
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

// noteFull gathers the tasks of a lane that do not wait for its concurrency limit.
func (run *picking) noteFull(h *head) {
	if run.Limits == nil || FullConcurrency(run.Limits, &h.items[h.at].Ready) == "" {
		return
	}
	for at := h.at; at >= 0; at = h.from(at + 1) {
		run.full = append(run.full, h.items[at].Ready)
	}
}

func (run *picking) take(h *head, r *Ready) {
	for _, d := range h.demands {
		run.Limits.Uses[d.Use] += d.Amount
	}
	run.Slots[run.next].Free--
	run.next = (run.next + 1) % len(run.Slots)
	run.free--
	run.shares[r.Workflow]++
	run.running[r.Attempt]++
}

// heads implements heap.Interface: who comes first is at the top.
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
