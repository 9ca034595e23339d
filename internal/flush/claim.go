package flush

import (
	"context"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// claim gives ready tasks to agents in a transaction: the chosen ones, and those that have just become
// ready. It updates the counters of what tasks take and give back.
func (c *claimer) claim(ctx context.Context, t *txn, s selection) error {
	candidates := c.candidates(t, s)
	if len(candidates) == 0 && !t.changes.batch.returns() {
		return nil
	}
	limits, err := c.lockLimits(ctx, t, candidates)
	if err != nil {
		return err
	}
	if t.counters.outdated != nil {
		c.stop(t.counters.outdated)
		s.slots = nil
	}
	candidates = c.failFull(t, limits, candidates)
	if len(s.slots) > 0 && len(candidates) > 0 {
		slots, gone, err := c.agents.lock(ctx, t.tx, s.slots)
		if err != nil {
			return err
		}
		t.effects.gone = gone
		c.failFull(t, limits, c.pick(t, limits, slots, candidates))
	}
	return t.tx.AddToCounters(ctx, t.counters.added)
}

// candidates lists the ready tasks of locked attempts that may be claimed.
func (c *claimer) candidates(t *txn, s selection) []queue.Ready {
	c.listed, c.seen = emptied(c.listed), emptiedMap(c.seen)
	add := func(a *attempt, row *trowel.Task) {
		if row != nil && row.State == trowel.TaskReady && !c.seen[row.ID] {
			c.seen[row.ID] = true
			c.listed = append(c.listed, a.ready(row))
		}
	}
	for i := range s.picks {
		if a := c.cache.get(s.picks[i].Attempt); a.running() {
			add(a, a.tree.Find(s.picks[i].Task))
		}
	}
	for i := range s.full {
		if a := c.cache.get(s.full[i].Attempt); a.running() {
			add(a, a.tree.Find(s.full[i].Task))
		}
	}
	for i := range t.changes.batch.Changes {
		if change := &t.changes.batch.Changes[i]; change.To == trowel.TaskReady {
			if a := c.cache.get(change.Task.AttemptID); a.running() {
				add(a, change.Task)
			}
		}
	}
	return c.listed
}

// lockLimits locks the counters that the candidates need, and those that something was given back to.
func (c *claimer) lockLimits(ctx context.Context, t *txn, candidates []queue.Ready) (*queue.Limits, error) {
	if err := c.known.lockPools(ctx, t, c.agents.stopped.Load()); err != nil {
		return nil, err
	}
	limits := c.limits(t.counters.pools, nil)
	t.counters.added = map[string]int{}
	t.counters.addReturned(t.changes.batch.Changes, limits)
	names := map[string]bool{}
	for name := range t.counters.added {
		names[name] = true
	}
	for i := range candidates {
		demands, _ := limits.Demands(&candidates[i])
		for _, d := range demands {
			names[d.Counter] = true
		}
		c.addHeldAbove(names, &candidates[i])
	}
	limits.Counters = map[string]int{}
	if len(names) > 0 {
		var err error
		if limits.Counters, err = t.tx.LockCounters(ctx, slices.Collect(maps.Keys(names))); err != nil {
			return nil, err
		}
	}
	for name, n := range t.counters.added {
		limits.Counters[name] += n
	}
	t.counters.locked = limits.Counters
	return limits, nil
}

// addHeldAbove adds the counters held by the parents of a task. If the task fails because a limit is full,
// its parents may end with it, and give back what they hold.
func (c *claimer) addHeldAbove(names map[string]bool, r *queue.Ready) {
	if r.Requirements == nil || r.Requirements.Concurrency == nil || !r.Requirements.Concurrency.Fail {
		return
	}
	tree := c.cache.get(r.Attempt).tree
	for row := tree.Find(r.Task); row != nil; row = tree.Find(row.ParentID) {
		for name := range row.Acquired {
			names[name] = true
		}
	}
}

// failFull fails the tasks that do not wait for a full limit (control K811), and returns the others, in the memory of
// all of them. Tasks that become ready by that are left to the next transaction, as their counters are not locked.
func (c *claimer) failFull(t *txn, limits *queue.Limits, candidates []queue.Ready) []queue.Ready {
	others := candidates[:0]
	for i := range candidates {
		r := &candidates[i]
		reason := queue.FullConcurrency(limits, r)
		if reason == "" {
			others = append(others, *r)
			continue
		}
		t.apply(c.cache.get(r.Attempt), engine.ConcurrencyFull{Task: r.Task, Reason: reason}, actorEngine)
		t.counters.addReturned(t.changes.batch.Changes, limits)
	}
	return others
}

// pick claims the tasks that may run now, and returns those that are to fail.
func (c *claimer) pick(t *txn, limits *queue.Limits, slots []queue.Slot, candidates []queue.Ready) []queue.Ready {
	picks, full, _ := c.backlog.Subset(candidates).Pick(queue.Picking{Slots: slices.Clone(slots), Limits: limits, Now: t.at, Agents: c.agents.all()})
	for i := range picks {
		p := &picks[i]
		a, id := c.cache.get(p.Attempt), p.Agent.ID()
		t.counters.take(p.Demands)
		t.apply(a, engine.Claim{Task: p.Task, Agent: id, Acquired: p.AllAcquired()}, id)
		t.effects.give(a, p.Task, p.Agent)
	}
	return full
}
