package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
)

// watcher reads the database while everything goes on. Each time it sees the state between two transactions, so
// it can check what must hold after each of them.
type watcher struct {
	c     *cluster
	store trowel.Store

	mu     sync.Mutex
	agents map[string]*trowel.Agent // all that were ever seen
	looks  int
}

// lookEvery is how often it looks.
const lookEvery = 150 * time.Millisecond

func newWatcher(ctx context.Context, c *cluster) (*watcher, error) {
	store, err := c.database.open(ctx)
	if err != nil {
		return nil, err
	}
	return &watcher{c: c, store: store, agents: map[string]*trowel.Agent{}}, nil
}

func (w *watcher) close() error { return w.store.Close() }

// run checks until ctx ends. The database may be away.
func (w *watcher) run(ctx context.Context) {
	for sleep(ctx, lookEvery) {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		_ = w.look(limited)
		cancel()
	}
}

func (w *watcher) look(ctx context.Context) error {
	return w.store.View(ctx, func(tx trowel.Tx) error {
		used, errUsed := tx.ListCounters(ctx)
		counted, errCounted := tx.CountAcquired(ctx)
		agents, err := tx.ListAgents(ctx)
		if err := errors.Join(errUsed, errCounted, err); err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.looks++
		for _, a := range agents {
			w.agents[a.ID] = a
		}
		for _, wrong := range differences(used, counted) {
			w.c.violation("at %s counter %s", time.Now().UTC().Format("15:04:05.000"), wrong)
		}
		return nil
	})
}

// differences compares the counters of limits with what tasks hold.
func differences(used, counted map[string]int) (wrong []string) {
	both := maps.Clone(counted)
	maps.Copy(both, used)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if used[name] != counted[name] {
			wrong = append(wrong, fmt.Sprintf("%s is %d, and tasks hold %d", name, used[name], counted[name]))
		}
	}
	return wrong
}

// settled checks that nothing is held in the end.
func (w *watcher) settled(ctx context.Context) error {
	return w.store.View(ctx, func(tx trowel.Tx) error {
		used, err := tx.ListCounters(ctx)
		if diff := cmp.Diff(map[string]int{}, used); err == nil && diff != "" {
			w.c.violation("limits are used although nothing runs: %s", diff)
		}
		return err
	})
}

// served checks that a try was given to an agent that serves it. It ignores agents that were never seen.
func (c *cluster) served(a *verify.Attempt, task *trowel.Task, try *trowel.Try) {
	c.watch.mu.Lock()
	agent := c.watch.agents[try.AgentID]
	c.watch.mu.Unlock()
	switch {
	case agent == nil:
		c.count("tries of agents that nobody saw")
	case !agent.Serves(task.Requirements), kindOf(task) == specialQueue && !slices.Contains(agent.Queues, specialQueue):
		c.violation("attempt %d: try %d of %s ran on %s, which does not serve it", a.ID, try.Number, task.FullName, agent.Name)
	}
}
