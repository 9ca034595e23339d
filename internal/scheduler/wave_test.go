package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/scheduler"
)

// full is an agent that has no room.
type full struct{}

func (full) ID() string            { return "full" }
func (full) Free() int             { return 0 }
func (full) Give([]*trowel.Lease)  {}
func (full) Cancel([]trowel.TryID) {}

// counting waits for so many attempts to begin.
type counting struct {
	left int
	all  chan struct{}
}

// Committed implements flush.Observer.
func (c *counting) Committed(batch *flush.Batch) error {
	for _, change := range batch.Changes {
		if change.New && change.Task.ParentID == 0 {
			c.left--
		}
	}
	if c.left == 0 {
		close(c.all)
	}
	return nil
}

// wave starts a scheduler with a flusher when schedules of so many workflows are due at once, and
// waits until all are started.
func wave(tb testing.TB, n int) time.Duration {
	tb.Helper()
	h := newHouse(tb)
	workflows := map[string]string{}
	for i := range n {
		workflows[fmt.Sprintf("w%d", i)] = `{"schedule": {"daily>": "00:00:00"}, "+a": {"echo>": "hi"}, "+b": {"echo>": "hi"}}`
	}
	now := time.Now()
	h.mustPush(tb, scheduler.Push{Now: now, From: now.Add(-24 * time.Hour)}, workflows)
	ctx, stop := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	seen := &counting{left: n, all: make(chan struct{})}
	f := flush.New(flush.Options{
		Store: h.store, Agent: full{}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1000}, Attempts: n + 1, Observers: []flush.Observer{seen},
	})
	running.Go(func() { _ = f.Run(ctx) })
	s := scheduler.New(scheduler.Options{
		Store: h.store, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Launcher: &launch.Launcher{Store: h.store, Flusher: f, Now: time.Now},
	})
	begin := time.Now()
	running.Go(func() {
		if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			tb.Errorf("Run: %v", err)
		}
	})
	<-seen.all
	took := time.Since(begin)
	if got := len(h.attempts(tb)); got != n {
		tb.Errorf("%d attempts, want %d", got, n)
	}
	return took
}

// TestWave starts the sessions of many schedules that are due at once, each once, through a real
// flusher.
func TestWave(t *testing.T) {
	t.Parallel()
	wave(t, 100)
}

// BenchmarkWave1000 is the bar of 1,000 schedules due in one second.
func BenchmarkWave1000(b *testing.B) {
	var took time.Duration
	for b.Loop() {
		took += wave(b, 1000)
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s/wave")
}
