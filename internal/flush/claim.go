package flush

import (
	"context"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// maxClaims is how many tasks a transaction claims for one agent at most.
const maxClaims = 1000

// selection is what a transaction is to claim: tasks of the backlog that may run as far as is known, and
// for whom there is room. What becomes ready in the transaction itself competes with them.
type selection struct {
	slots []queue.Slot
	picks []queue.Picked
	full  []queue.Ready // to fail, see queue.Backlog.Pick
}

// any reports whether there is something to claim, or to fail.
func (s *selection) any() bool { return len(s.picks)+len(s.full) > 0 }

// attempts lists the attempts that a selection is about.
func (s *selection) attempts() []trowel.AttemptID {
	ids := make([]trowel.AttemptID, 0, len(s.picks)+len(s.full))
	for i := range s.picks {
		ids = append(ids, s.picks[i].Attempt)
	}
	for i := range s.full {
		ids = append(ids, s.full[i].Attempt)
	}
	return ids
}

// only is the first task of one attempt.
func (s *selection) only(id trowel.AttemptID) selection {
	one := selection{slots: s.slots}
	for i := range s.picks {
		if s.picks[i].Attempt == id {
			one.picks = s.picks[i : i+1]
			return one
		}
	}
	for i := range s.full {
		if s.full[i].Attempt == id {
			one.full = s.full[i : i+1]
			break
		}
	}
	return one
}

// choose looks for what to claim together with a batch of events.
func (f *Flusher) choose(ctx context.Context, batch []*event, slots []queue.Slot) selection {
	s := selection{slots: slots}
	if len(s.slots) == 0 {
		f.backlog.AllBusy(f.opts.Now())
	}
	if len(s.slots) == 0 || f.backlog.Len() == 0 {
		return s
	}
	f.pickKnown(ctx, batch, &s)
	if f.known.limited && f.known.stale { // they need not be read as long as they keep nothing
		f.pickKnown(ctx, batch, &s)
	}
	return s
}

// pickKnown looks for what to claim by the limits as far as they are known.
func (f *Flusher) pickKnown(ctx context.Context, batch []*event, s *selection) {
	f.readLimits(ctx)
	picking := queue.Picking{Slots: slices.Clone(s.slots), Limits: f.expected(batch), Now: f.opts.Now(), Agents: f.agents()}
	s.picks, s.full, f.known.limited = f.backlog.Pick(picking)
}

// claim gives ready tasks to agents: those that were chosen, and those that became ready just now. It
// changes the counters of what is taken and of what was given back in this transaction.
func (f *Flusher) claim(ctx context.Context, tx trowel.Tx, w *write, s selection) error {
	candidates := f.candidates(w, s)
	if len(candidates) == 0 && !w.freed() {
		return nil
	}
	limits, err := f.lockLimits(ctx, tx, w, candidates)
	if err != nil {
		return err
	}
	if w.outdated != nil {
		f.outdated(w.outdated)
		s.slots = nil
	}
	candidates = f.failFull(w, limits, candidates)
	if len(s.slots) > 0 && len(candidates) > 0 {
		if s.slots, err = f.hold(ctx, tx, w, s.slots); err != nil {
			return err
		}
		f.failFull(w, limits, f.pick(w, limits, s.slots, candidates))
	}
	return tx.AddUses(ctx, w.uses)
}

// candidates are the ready tasks of locked attempts that are considered.
func (f *Flusher) candidates(w *write, s selection) []queue.Ready {
	var list []queue.Ready
	seen := map[trowel.TaskID]bool{}
	add := func(a *attempt, row *trowel.Task) {
		if row != nil && row.State == trowel.TaskReady && !seen[row.ID] {
			seen[row.ID] = true
			list = append(list, a.ready(row))
		}
	}
	for i := range s.picks {
		if a := f.images.byID[s.picks[i].Attempt]; a.running() {
			add(a, a.Find(s.picks[i].Task))
		}
	}
	for i := range s.full {
		if a := f.images.byID[s.full[i].Attempt]; a.running() {
			add(a, a.Find(s.full[i].Task))
		}
	}
	for i := range w.batch.Changes {
		if c := &w.batch.Changes[i]; c.To == trowel.TaskReady {
			if a := f.images.byID[c.Task.AttemptID]; a.running() {
				add(a, c.Task)
			}
		}
	}
	return list
}

// lockLimits locks the counters that candidates need or that something was given back to.
func (f *Flusher) lockLimits(ctx context.Context, tx trowel.Tx, w *write, candidates []queue.Ready) (*queue.Limits, error) {
	pools, err := f.sharePools(ctx, tx, w)
	if err != nil {
		return nil, err
	}
	limits := &queue.Limits{Pools: pools, AnyPool: f.opts.AnyPool, Most: f.opts.MaxRunning, Running: f.runningIn}
	w.pools, w.uses = pools, map[string]int{}
	f.countFreed(w, limits)
	names := map[string]bool{}
	for name := range w.uses {
		names[name] = true
	}
	for i := range candidates {
		demands, _ := limits.Demands(&candidates[i])
		for _, d := range demands {
			names[d.Use] = true
		}
		f.addHeldAbove(names, &candidates[i])
	}
	limits.Uses = map[string]int{}
	if len(names) > 0 {
		if limits.Uses, err = tx.LockUses(ctx, slices.Collect(maps.Keys(names))); err != nil {
			return nil, err
		}
	}
	for name, n := range w.uses {
		limits.Uses[name] += n
	}
	w.locks = limits.Uses
	return limits, nil
}

// addHeldAbove adds the counters that may be given back if a task fails at once for a limit that is full:
// those of the tasks that have generated it and end with it.
func (f *Flusher) addHeldAbove(names map[string]bool, r *queue.Ready) {
	if r.Needs == nil || r.Needs.Concurrency == nil || !r.Needs.Concurrency.Fail {
		return
	}
	a := f.images.byID[r.Attempt]
	for row := a.Find(r.Task); row != nil; row = a.Find(row.ParentID) {
		for name := range row.Holds {
			names[name] = true
		}
	}
}

// sharePools keeps the pools as they are for the transaction, and reads them unless they are known.
func (f *Flusher) sharePools(ctx context.Context, tx trowel.Tx, w *write) ([]*trowel.Pool, error) {
	if f.known.pools != nil && f.known.version >= 0 && !w.careful && !f.resting.Load() {
		return f.known.pools, tx.ExpectLimits(ctx, f.known.version)
	}
	version, writers, err := tx.ShareLimits(ctx)
	if err == nil {
		w.outdated = writers.Check()
	}
	if err != nil || (f.known.pools != nil && f.known.version == version) {
		return f.known.pools, err
	}
	w.poolVersion = version
	return tx.ListPools(ctx)
}

// freed reports whether a task of the transaction has stopped running, or has given something back.
func (w *write) freed() bool {
	for i := range w.batch.Changes {
		if c := &w.batch.Changes[i]; c.Freed || len(c.Given) > 0 {
			return true
		}
	}
	return false
}

// countFreed gathers what was given back since it was called last, and takes it from counters that are
// locked.
func (f *Flusher) countFreed(w *write, limits *queue.Limits) {
	give := func(name string, n int) {
		w.uses[name] -= n
		if limits.Uses != nil {
			limits.Uses[name] -= n
		}
	}
	for i := w.freedTo; i < len(w.batch.Changes); i++ {
		c := &w.batch.Changes[i]
		for name, n := range c.Given {
			give(name, n)
		}
		if c.Freed {
			if pool := limits.Unkept(c.Given); pool != "" {
				give(pool, 1)
			}
		}
	}
	w.freedTo = len(w.batch.Changes)
}

// failFull lets tasks fail that are not to wait for a limit that is full (control K811), and returns the
// others. What becomes ready by that needs other counters, which are not locked: it is claimed next.
func (f *Flusher) failFull(w *write, limits *queue.Limits, candidates []queue.Ready) []queue.Ready {
	kept := candidates[:0:0]
	for _, r := range candidates {
		reason := queue.FullConcurrency(limits, &r)
		if reason == "" {
			kept = append(kept, r)
			continue
		}
		a := f.images.byID[r.Attempt]
		f.applyTo(w, a, &event{attempt: a.id, what: engine.Full{Task: r.Task, Reason: reason}})
		f.countFreed(w, limits)
	}
	return kept
}

// pick claims what may run now, and returns what is to fail.
func (f *Flusher) pick(w *write, limits *queue.Limits, slots []queue.Slot, candidates []queue.Ready) []queue.Ready {
	picks, full, _ := f.backlog.Among(candidates).Pick(queue.Picking{Slots: slices.Clone(slots), Limits: limits, Now: w.at})
	for i := range picks {
		p := &picks[i]
		a := f.images.byID[p.Attempt]
		id := p.Agent.ID()
		for _, d := range p.Demands {
			w.uses[d.Use] += d.Amount
		}
		claim := engine.Claim{Task: p.Task, Agent: id, Holds: p.Holds()}
		w.add(a.Image, a.Apply(claim, w.at, &f.ids, f.opts.Limits), id)
		w.claimed = append(w.claimed, claimed{a, p.Task, p.Agent})
	}
	return full
}
