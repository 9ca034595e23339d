package daemon

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/wait"
)

// outputEvery is the shortest time between two messages about output.
const outputEvery = time.Second

// taskOutput stores the output of running tasks and tells those who follow it. Other servers are sent one message about
// all tasks, as transactions that notify are committed one after the other.
type taskOutput struct {
	storage *storage
	events  *events.Feed
	wake    wait.Signal

	mu     sync.Mutex
	stored []trowel.LogChunk // that other servers do not know of; without data
}

func newTaskOutput(s *storage, feed *events.Feed) *taskOutput {
	return &taskOutput{storage: s, events: feed, wake: wait.NewSignal()}
}

// keep stores output, and informs those who follow it.
func (o *taskOutput) keep(ctx context.Context, chunks []trowel.LogChunk) error {
	if err := tasklog.Into(o.storage.store)(ctx, chunks); err != nil {
		return err
	}
	if !o.storage.exclusive {
		o.add(chunks)
	}
	o.events.Publish(outputEvents(chunks)...)
	return nil
}

func (o *taskOutput) add(chunks []trowel.LogChunk) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range chunks {
		c := &chunks[i]
		o.stored = append(o.stored, trowel.LogChunk{AttemptID: c.AttemptID, File: c.File, Offset: c.Offset, TextBytes: c.TextBytes})
	}
	o.wake.Set()
}

func (o *taskOutput) take() []trowel.LogChunk {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.stored
	o.stored = nil
	return taken
}

// run sends messages until ctx ends. Those that cannot be sent are dropped, as nobody hears anything while the database is away.
func (o *taskOutput) run(ctx context.Context) error {
	pause := time.NewTicker(outputEvery)
	defer pause.Stop()
	for {
		select {
		case <-o.wake:
		case <-ctx.Done():
			return nil
		}
		message := cluster.OutputOf(o.take()).String()
		_ = o.storage.store.Update(ctx, func(tx trowel.Tx) error { return tx.Notify(ctx, message) })
		pause.Reset(outputEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil
		}
	}
}
