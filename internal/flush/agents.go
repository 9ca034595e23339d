package flush

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// Attach lets the flusher claim for another agent, in place of one with the same id.
func (f *Flusher) Attach(a queue.Agent) {
	f.mu.Lock()
	f.attached = append(without(f.attached, a.ID()), a)
	f.mu.Unlock()
	f.Wake()
}

// Detach ends what Attach began. What the agent has been given stays its own.
func (f *Flusher) Detach(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attached = without(f.attached, id)
}

func without(agents []queue.Agent, id string) []queue.Agent {
	return slices.DeleteFunc(slices.Clone(agents), func(a queue.Agent) bool { return a.ID() == id })
}

// agents lists all that the flusher claims for, its own first.
func (f *Flusher) agents() []queue.Agent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]queue.Agent{f.opts.Agent}, f.attached...)
}

// slots is what may be claimed now, and for whom.
func (f *Flusher) slots() []queue.Slot {
	if f.resting.Load() {
		return nil
	}
	var slots []queue.Slot
	for _, a := range f.agents() {
		if free := a.Free(); free > 0 {
			slots = append(slots, queue.Slot{Agent: a, Free: min(free, maxClaims)})
		}
	}
	return slots
}

// agentOf returns the agent of a task, if the flusher claims for it; nil else.
func (f *Flusher) agentOf(id string) queue.Agent {
	if id == "" {
		return nil
	}
	for _, a := range f.agents() {
		if a.ID() == id {
			return a
		}
	}
	return nil
}

// hold returns those of the slots for which this server may claim: remote agents may be gone, drained, or
// at another server, which is certain only in the transaction. Those that are not held are detached after
// it.
func (f *Flusher) hold(ctx context.Context, tx trowel.Tx, w *write, slots []queue.Slot) ([]queue.Slot, error) {
	var remote []string
	for _, s := range slots {
		if s.Agent.Remote() {
			remote = append(remote, s.Agent.ID())
		}
	}
	if len(remote) == 0 {
		return slots, nil
	}
	held, err := tx.HoldAgents(ctx, remote, f.opts.ServerID)
	if err != nil {
		return nil, err
	}
	w.unheld = slices.DeleteFunc(remote, func(id string) bool { return slices.Contains(held, id) })
	return slices.DeleteFunc(slices.Clone(slots), func(s queue.Slot) bool { return slices.Contains(w.unheld, s.Agent.ID()) }), nil
}

// give hands the claimed tasks of a transaction to their agents.
func (f *Flusher) give(w *write) {
	slices.SortStableFunc(w.claimed, func(a, b claimed) int { return cmp.Compare(a.agent.ID(), b.agent.ID()) })
	for rest := w.claimed; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].agent == rest[0].agent {
			n++
		}
		leases := make([]*trowel.Lease, n)
		for i, c := range rest[:n] {
			leases[i] = c.attempt.Lease(c.task)
		}
		rest[0].agent.Give(leases)
		rest = rest[n:]
	}
}

// cancel asks agents to stop tries, by the ids of the agents.
func (f *Flusher) cancel(tries map[string][]trowel.TryID) {
	for id, list := range tries {
		if a := f.agentOf(id); a != nil {
			a.Cancel(list)
		}
	}
}

// Resend gives tries of an agent again, which it has been given before but does not have: the message
// was lost, or another server gave them. Those that are not its own any more are left out. It returns
// when that is done.
func (f *Flusher) Resend(ctx context.Context, agent string, tries []trowel.TryID) error {
	rows, err := f.runningOf(ctx, agent)
	if err != nil {
		return err
	}
	byAttempt := map[trowel.AttemptID][]trowel.TryID{}
	for _, row := range rows {
		id := trowel.TryID{Task: row.TaskID, Number: row.Try}
		if slices.Contains(tries, id) {
			byAttempt[row.AttemptID] = append(byAttempt[row.AttemptID], id)
		}
	}
	for attempt, list := range byAttempt {
		ev := &event{attempt: attempt, resend: list, done: make(chan error, 1)}
		f.submit(ev)
		if err := f.wait(ctx, ev); err != nil {
			return fmt.Errorf("give tries of attempt %d again: %w", attempt, err)
		}
	}
	return nil
}

func (f *Flusher) runningOf(ctx context.Context, agent string) (rows []trowel.LiveTask, err error) {
	err = f.opts.Store.View(ctx, func(tx trowel.Tx) error {
		rows, err = tx.ListRunningOf(ctx, agent)
		return err
	})
	return rows, err
}

// resend notes tries of an attempt whose leases are given again after the transaction.
func (f *Flusher) resend(w *write, a *attempt, tries []trowel.TryID) {
	for _, id := range tries {
		row := a.Find(id.Task)
		if row == nil || row.State != trowel.TaskRunning || row.Try != id.Number {
			continue
		}
		if agent := f.agentOf(row.AgentID); agent != nil {
			w.claimed = append(w.claimed, claimed{a, id.Task, agent})
		}
	}
}
