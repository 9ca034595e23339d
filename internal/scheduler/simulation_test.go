package scheduler_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/scheduler"
)

// fakeFlusher stands for the flusher: it stores attempts, without tasks, and ends them when they have run
// for a while.
type fakeFlusher struct {
	store    trowel.Store
	attempts int           // how many may run at the same time
	tasks    int           // how many an attempt may have
	length   time.Duration // how long attempts run; negative for ever
	ended    func()        // is told of each end

	mu    sync.Mutex
	begun []beginning
	ends  sync.WaitGroup
}

// beginning is an attempt that was begun.
type beginning struct {
	workflow string
	session  time.Time
	at       time.Time
}

// Begin implements launch.Flusher.
func (l *fakeFlusher) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	row, session := a.Attempt, a.Context.Session
	tooLarge := engine.CheckSize(a.Tasks, engine.Limits{Tasks: l.tasks})
	err := l.store.Update(ctx, func(tx trowel.Tx) error {
		if row.ID != 0 {
			return l.beginDelayed(ctx, tx, &row)
		}
		running, err := tx.CountRunningAttempts(ctx)
		if err == nil && running >= l.attempts {
			err = engine.TooManyAttempts(l.attempts, running)
		}
		if err != nil {
			return err
		}
		row.CreatedAt = time.Now()
		return tx.InsertAttempt(ctx, &session, &row)
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.begun = append(l.begun, beginning{session.Workflow, session.Time, time.Now()})
	l.mu.Unlock()
	length := l.length
	if tooLarge != nil {
		length = 0
	}
	if length >= 0 {
		l.ends.Go(func() { l.end(ctx, row.ID, length) })
	}
	return &trowel.AttemptSummary{Attempt: row, Session: session, Project: a.Context.Project}, tooLarge
}

func (l *fakeFlusher) beginDelayed(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) error {
	if _, err := tx.FindQueuedBackfillAttempt(ctx, row.ID); err != nil {
		return trowel.ErrConflict
	}
	return tx.DeleteQueuedBackfillAttempt(ctx, row.ID)
}

func (l *fakeFlusher) end(ctx context.Context, id trowel.AttemptID, after time.Duration) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(after):
	}
	err := l.store.Update(ctx, func(tx trowel.Tx) error {
		row, err := tx.FindAttempt(ctx, id)
		if err != nil {
			return err
		}
		row.Flags, row.FinishedAt = trowel.AttemptDone|trowel.AttemptSuccess, time.Now()
		return tx.UpdateAttempts(ctx, row)
	})
	if err == nil && l.ended != nil {
		l.ended()
	}
}

// simulation is a fixture whose schedulers run in a bubble of synctest.
type simulation struct {
	*fixture
	t          *testing.T
	flusher    *fakeFlusher
	served     trowel.Store // as the schedulers see it
	log        io.Writer    // what the schedulers log; nil for nobody
	schedulers []*scheduler.Scheduler
}

// play runs a test at 2024-03-10 12:00 in Tokyo, with an hour to the next full one. Attempts end at
// once unless prepare says otherwise.
func play(t *testing.T, workflows map[string]string, push scheduler.Push, servers int, prepare func(*simulation), f func(*simulation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(tokyo("2024-03-10 12:00:00"))) //nolint:forbidigo // of the bubble's clock
		c := &simulation{fixture: newFixture(t), t: t}
		c.served = c.store
		c.flusher = &fakeFlusher{store: c.store, attempts: 100, tasks: 1000}
		push.Now = time.Now()
		c.mustPush(t, push, workflows)
		ctx, stop := context.WithCancel(t.Context())
		c.flusher.ended = func() {
			for _, s := range c.schedulers {
				s.AttemptsEnded()
			}
		}
		if prepare != nil {
			prepare(c)
		}
		for range servers {
			c.schedulers = append(c.schedulers, scheduler.New(scheduler.Options{
				Store: c.served, Now: time.Now, Log: c.logger(),
				Launcher: &launch.Launcher{Store: c.served, Flusher: c.flusher, Now: time.Now},
			}))
		}
		var running sync.WaitGroup
		for _, s := range c.schedulers {
			running.Go(func() {
				if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("Run: %v", err)
				}
			})
		}
		f(c)
		stop()
		running.Wait()
		c.flusher.ends.Wait()
	})
}

func (c *simulation) logger() *slog.Logger {
	if c.log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(c.log, nil))
}

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // of the bubble's clock
	synctest.Wait()
}

// begun lists what was begun so far, in its order.
func (c *simulation) begun() []beginning {
	c.flusher.mu.Lock()
	defer c.flusher.mu.Unlock()
	return append([]beginning(nil), c.flusher.begun...)
}
