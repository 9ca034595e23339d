package daemon

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
)

// outputEvery is the shortest time between two messages about output.
const outputEvery = time.Second

// outputNews collects what other servers should know about output. It sends one message for all tasks, as transactions that
// notify are committed one after the other.
type outputNews struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex
	stored []trowel.LogChunk // without data
}

func newOutputNews() *outputNews { return &outputNews{wake: make(chan struct{}, 1)} }

func (n *outputNews) add(chunks []trowel.LogChunk) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range chunks {
		c := &chunks[i]
		n.stored = append(n.stored, trowel.LogChunk{AttemptID: c.AttemptID, File: c.File, Offset: c.Offset, TextBytes: c.TextBytes})
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *outputNews) take() []trowel.LogChunk {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.stored
	n.stored = nil
	return taken
}

// run sends messages until ctx ends. Those that cannot be sent are dropped, as nobody hears anything while the database is away.
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
