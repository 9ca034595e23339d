package flush

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// maxClaims is how many tasks a transaction claims for one agent at most.
const maxClaims = 1000

// agents has the agents that the flusher claims tasks for: the one of this process, and the remote agents
// that this server serves.
type agents struct {
	own      queue.Agent
	serverID string
	stopped  atomic.Bool // nothing more is claimed

	mu       sync.Mutex
	attached []queue.Agent
}

// attach adds an agent. It replaces one with the same id.
func (as *agents) attach(a queue.Agent) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.attached = append(without(as.attached, a.ID()), a)
}

// detach removes an agent. It keeps the tries that it has.
func (as *agents) detach(id string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.attached = without(as.attached, id)
}

func without(list []queue.Agent, id string) []queue.Agent {
	return slices.DeleteFunc(slices.Clone(list), func(a queue.Agent) bool { return a.ID() == id })
}

// all lists the agents, the own one first.
func (as *agents) all() []queue.Agent {
	as.mu.Lock()
	defer as.mu.Unlock()
	return append([]queue.Agent{as.own}, as.attached...)
}

// find returns an agent, or nil if the flusher does not claim for it.
func (as *agents) find(id string) queue.Agent {
	if id == "" {
		return nil
	}
	for _, a := range as.all() {
		if a.ID() == id {
			return a
		}
	}
	return nil
}

// slots returns the agents that take tasks now, and how many tasks each takes.
func (as *agents) slots() []queue.Slot {
	if as.stopped.Load() {
		return nil
	}
	var slots []queue.Slot
	for _, a := range as.all() {
		if free := a.Free(); free > 0 {
			slots = append(slots, queue.Slot{Agent: a, Free: min(free, maxClaims)})
		}
	}
	return slots
}

// lock locks the rows of the remote agents among slots. It returns the slots that this server may claim
// for, and the agents that it does not serve any more: they are gone, drained, or at another server.
func (as *agents) lock(ctx context.Context, tx trowel.Tx, slots []queue.Slot) (served []queue.Slot, gone []string, err error) {
	var remote []string
	for _, s := range slots {
		if s.Agent.Remote() {
			remote = append(remote, s.Agent.ID())
		}
	}
	if len(remote) == 0 {
		return slots, nil, nil
	}
	held, err := tx.LockAgents(ctx, remote, as.serverID)
	if err != nil {
		return nil, nil, err
	}
	gone = slices.DeleteFunc(remote, func(id string) bool { return slices.Contains(held, id) })
	served = slices.DeleteFunc(slices.Clone(slots), func(s queue.Slot) bool { return slices.Contains(gone, s.Agent.ID()) })
	return served, gone, nil
}

// cancel asks agents to stop tries. The keys are the ids of the agents.
func (as *agents) cancel(tries map[string][]trowel.TryID) {
	for id, list := range tries {
		if a := as.find(id); a != nil {
			a.Cancel(list)
		}
	}
}
