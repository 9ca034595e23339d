package trowtest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/queue"
)

// Flusher is a flusher that runs until Stop, or until the test ends.
type Flusher struct {
	*flush.Flusher
	// Stop ends the flusher as a crash does, and returns when it has ended.
	Stop func()

	tb testing.TB
}

// RunFlusher runs a flusher. All options but the store have defaults. Without an agent it begins and ends attempts, and
// claims nothing.
func RunFlusher(tb testing.TB, o flush.Options) *Flusher {
	tb.Helper()
	if o.Agent == nil {
		o.Agent = &Agent{Name: "nobody"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Limits.Tasks == 0 {
		o.Limits = engine.Limits{Tasks: 1 << 30}
	}
	if o.Attempts == 0 {
		o.Attempts = 100
	}
	f := &Flusher{Flusher: flush.New(o), tb: tb}
	f.bind(o.Agent)
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := f.Run(ctx); !errors.Is(err, context.Canceled) {
			tb.Errorf("flusher: %v", err)
		}
	})
	f.Stop = func() {
		cancel()
		running.Wait()
	}
	tb.Cleanup(f.Stop)
	return f
}

// Attach adds an agent, which reports to this flusher if it is an Agent.
func (f *Flusher) Attach(a queue.Agent) {
	f.bind(a)
	f.Flusher.Attach(a)
}

// bind lets an Agent, or what has one embedded, report to the flusher.
func (f *Flusher) bind(a queue.Agent) {
	if own, ok := a.(interface {
		ReportTo(f *Flusher)
		stopAfter(tb testing.TB)
	}); ok {
		own.ReportTo(f)
		own.stopAfter(f.tb)
	}
}

// End waits until an attempt has ended, 10 s at most.
func (f *Flusher) End(started *flush.Started) trowel.Attempt {
	f.tb.Helper()
	patience := time.NewTimer(10 * time.Second)
	defer patience.Stop()
	select {
	case a, ok := <-started.Ended:
		if !ok {
			f.tb.Fatalf("attempt %d: the flusher has ended before it", started.Attempt.ID)
		}
		return a
	case <-patience.C:
		f.tb.Fatalf("attempt %d does not end", started.Attempt.ID)
	}
	return trowel.Attempt{}
}

// Status waits until an attempt has ended, and returns how.
func (f *Flusher) Status(started *flush.Started) string {
	f.tb.Helper()
	return f.End(started).Flags.Status()
}
