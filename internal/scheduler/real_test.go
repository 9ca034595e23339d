package scheduler_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// waking tells the scheduler of ended attempts.
type waking struct{ scheduler *scheduler.Scheduler }

// Committed implements flush.Observer.
func (w *waking) Committed(batch *flush.Batch) error {
	if len(batch.Ended) > 0 {
		w.scheduler.AttemptsEnded()
	}
	return nil
}

// process is a fixture with all that runs in it, and the test of its bubble.
type process struct {
	*fixture
	t         *testing.T
	scheduler *scheduler.Scheduler
	flusher   *trowtest.Flusher
}

// whole runs a scheduler with a flusher, and an agent whose tasks take a minute, at 2024-03-10 12:00 in Tokyo.
func whole(t *testing.T, workflows map[string]string, push scheduler.Push, limit int, do func(*process)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pass(time.Until(tokyo("2024-03-10 12:00:00")))
		f := newFixture(t)
		push.Now = time.Now()
		f.mustPush(t, push, workflows)
		wake := &waking{}
		flusher := trowtest.RunFlusher(t, flush.Options{
			Store: f.store, Agent: &trowtest.Agent{Name: "minute", Slots: 10, Parallel: true, Takes: time.Minute},
			Limits: engine.Limits{Tasks: limit}, Observers: []flush.Observer{wake},
		})
		wake.scheduler = scheduler.New(scheduler.Options{
			Store: f.store, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Launcher: &launch.Launcher{Store: f.store, Flusher: flusher, Now: time.Now},
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = wake.scheduler.Run(ctx) })
		do(&process{f, t, wake.scheduler, flusher})
		stop()
		running.Wait()
	})
}

// statuses lists session, name and status of all attempts.
func (f *fixture) statuses(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, a := range f.attempts(t) {
		list = append(list, a.Session.Time.In(tokyo("2024-01-01 00:00:00").Location()).Format("01-02 15:04 ")+a.Attempt.Name+" "+a.Attempt.Flags.Status())
	}
	return list
}

// TestBackfillWhole lets a backfill run through a real flusher: one session after the other, the
// second of them killed while it waits (language S40, design 9).
func TestBackfillWhole(t *testing.T) {
	t.Parallel()
	whole(t, map[string]string{"w": daily}, scheduler.Push{}, 1000, func(p *process) {
		t := p.t
		r := scheduler.BackfillRequest{From: tokyo("2024-03-08 00:00:00"), Name: "fill", Limit: 100, Now: time.Now()}
		done, err := scheduler.Backfill(t.Context(), p.store, p.schedule(t, "w").ID, r)
		if err != nil {
			t.Fatal(err)
		}
		p.scheduler.Wake()
		pass(30 * time.Second)
		if err := p.flusher.Kill(t.Context(), done.Attempts[1].Attempt.ID, "somebody"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		want := []string{"03-08 00:00 fill success", "03-09 00:00 fill killed", "03-10 00:00 fill running"}
		if diff := cmp.Diff(want, p.statuses(t)); diff != "" {
			t.Errorf("after 90 seconds (-want +got):\n%s", diff)
		}
		pass(time.Minute)
		if got := p.statuses(t)[2]; got != "03-10 00:00 fill success" {
			t.Errorf("the last one: %s", got)
		}
	})
}

// TestTooLarge checks that an attempt with too many tasks is kept as a failed one, and the schedule
// goes on (language S27a, design 9).
func TestTooLarge(t *testing.T) {
	t.Parallel()
	workflows := map[string]string{"w": `{"schedule": {"hourly>": "00:00"}, "+a": {"echo>": "hi"}, "+b": {"echo>": "hi"}}`}
	whole(t, workflows, scheduler.Push{}, 3, func(p *process) {
		t := p.t
		pass(62 * time.Minute)
		want := []string{"03-10 12:00  error", "03-10 13:00  error"}
		if diff := cmp.Diff(want, p.statuses(t)); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		d := p.decisions(t, "w")[0]
		if d.What != trowel.DecisionError || d.AttemptID == 0 || d.Reason == "" {
			t.Errorf("decision = %+v", d)
		}
	})
}

// TestSLAWhole checks that the SLA of a scheduled attempt counts from its run time, and fires (language
// S44, S46).
func TestSLAWhole(t *testing.T) {
	t.Parallel()
	workflows := map[string]string{"w": `{"schedule": {"hourly>": "00:00"}, "sla": {"duration": "00:00:30", "fail": true}, "+a": {"echo>": "hi"}}`}
	whole(t, workflows, scheduler.Push{}, 1000, func(p *process) {
		t := p.t
		pass(29 * time.Second)
		before := p.taskCount(t)
		pass(2 * time.Second)
		if after := p.taskCount(t); before != 2 || after != 5 {
			t.Errorf("%d tasks before the SLA, %d after, want 2 and 5", before, after)
		}
		err := p.store.View(t.Context(), func(tx trowel.Tx) error {
			_, err := tx.FindSLATimer(t.Context(), 1)
			return err
		})
		if !errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("monitor after it has fired: error = %v, want ErrNotFound", err)
		}
	})
}

func (f *fixture) taskCount(t *testing.T) int {
	t.Helper()
	var rows []*trowel.Task
	trowtest.View(t, f.store, func(tx trowel.Tx) (err error) {
		rows, err = tx.ListTasks(t.Context(), 1, -1)
		return err
	})
	return len(rows)
}
