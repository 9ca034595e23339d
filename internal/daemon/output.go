package daemon

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/wait"
)

// outputEvery is how often other servers are told of output at most.
const outputEvery = time.Second

// outputNews gathers what other servers are told of output: of all tasks together, as transactions that
// notify are committed one after the other.
type outputNews struct {
	wake wait.Signal

	mu     sync.Mutex
	stored []trowel.LogChunk // without data
}

func newOutputNews() *outputNews { return &outputNews{wake: wait.NewSignal()} }

func (n *outputNews) add(chunks []trowel.LogChunk) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range chunks {
		c := &chunks[i]
		n.stored = append(n.stored, trowel.LogChunk{AttemptID: c.AttemptID, File: c.File, Offset: c.Offset, TextBytes: c.TextBytes})
	}
	n.wake.Set()
}

func (n *outputNews) take() []trowel.LogChunk {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.stored
	n.stored = nil
	return taken
}

// run tells of output until ctx ends. What cannot be told is left out: with the database away nobody hears anything.
func (n *outputNews) run(ctx context.Context, store trowel.Store) error {
	pause := time.NewTicker(outputEvery)
	defer pause.Stop()
	for {
		select {
		case <-n.wake:
		case <-ctx.Done():
			return nil
		}
		message := cluster.OutputOf(n.take()).String()
		_ = store.Update(ctx, func(tx trowel.Tx) error { return tx.Notify(ctx, message) })
		pause.Reset(outputEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil
		}
	}
}
