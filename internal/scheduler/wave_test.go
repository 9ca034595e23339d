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
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// counting waits for so many attempts to begin.
type counting struct {
	mu   sync.Mutex
	left int
	all  chan struct{}
}

// Committed implements flush.Observer.
func (c *counting) Committed(batch *flush.Batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range batch.Changes {
		if !change.New || change.Task.ParentID != 0 {
			continue
		}
		if c.left--; c.left == 0 {
			close(c.all)
		}
	}
	return nil
}

// wave lets schedules of so many workflows be due at once, and waits until servers have started all
// of them, each once.
func wave(tb testing.TB, f *fixture, n, servers int) time.Duration {
	tb.Helper()
	workflows := map[string]string{}
	for i := range n {
		workflows[fmt.Sprintf("w%d", i)] = `{"schedule": {"daily>": "00:00:00"}, "+a": {"echo>": "hi"}, "+b": {"echo>": "hi"}}`
	}
	now := time.Now()
	f.mustPush(tb, scheduler.Push{Now: now, From: now.Add(-24 * time.Hour)}, workflows)
	ctx, stop := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	seen := &counting{left: n, all: make(chan struct{})}
	begin := time.Now()
	for range servers {
		flusher := trowtest.RunFlusher(tb, flush.Options{Store: f.store, Attempts: n + 1, Observers: []flush.Observer{seen}})
		defer flusher.Stop()
		s := scheduler.New(scheduler.Options{
			Store: f.store, Now: time.Now, Log: slog.New(slog.DiscardHandler), Shared: servers > 1,
			Launcher: &launch.Launcher{Store: f.store, Flusher: flusher, Now: time.Now},
		})
		running.Go(func() {
			if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
				tb.Errorf("Run: %v", err)
			}
		})
	}
	<-seen.all
	took := time.Since(begin)
	if got := len(f.attempts(tb)); got != n {
		tb.Errorf("%d attempts, want %d", got, n)
	}
	for f.next(tb).Before(now) { // until the last step is recorded
	}
	for workflow := range workflows {
		if list := f.decisions(tb, workflow); len(list) != 1 || list[0].What != trowel.DecisionStarted {
			tb.Fatalf("decisions about %s = %+v, want that one session was started", workflow, list)
		}
	}
	return took
}

// TestWave starts the sessions of many schedules that are due at once through real flushers.
func TestWave(t *testing.T) {
	t.Parallel()
	wave(t, newFixture(t), 100, 1)
}

// TestWaveOfServers does the same with several servers on one PostgreSQL (language S24b).
func TestWaveOfServers(t *testing.T) {
	t.Parallel()
	wave(t, &fixture{store: pgtest.Open(t)}, 100, 3)
}

// BenchmarkWave is the bar of 1,000 schedules due in one second, on both databases.
func BenchmarkWave(b *testing.B) {
	for name, open := range map[string]func() *fixture{
		"sqlite":     func() *fixture { return newFixture(b) },
		"postgresql": func() *fixture { return &fixture{store: pgtest.Open(b)} },
	} {
		b.Run(name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				took += wave(b, open(), 1000, 1)
			}
			b.ReportMetric(took.Seconds()/float64(b.N), "s/wave")
		})
	}
}
