package flush_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

// TestLostAgent has a server die with a task while another one lives: the task runs there within a
// second after the end of the lease, or at once if nobody else can have the store (X59a).
func TestLostAgent(t *testing.T) {
	t.Parallel()
	const lease = 30 * time.Second
	for _, row := range []struct {
		name string
		sole bool
		want time.Duration // at most
	}{
		{"lease ends", false, lease + time.Second},
		{"sole server", true, time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, store, setting := beginWith(t, success, func(_ *flush.Options, a *scripted) { a.room = 0 })
				started := start(t, f, setting, 0, param.Of("+a", param.Of("echo>", 1)))
				putAgent(t, store, "dead", lease)
				claimAndDie(t, store)
				died := time.Now()
				putAgent(t, store, "living", 24*time.Hour)
				given, stop := serve(t, store, "living", row.sole)
				l := <-given
				if took := time.Since(died); took > row.want {
					t.Errorf("the task was given to another after %v, want at most %v", took, row.want)
				}
				if l.Try != 2 || l.AgentID != "living" || l.AttemptID != started.Attempt.ID {
					t.Errorf("lease of try %d by %s, want try 2 by the living one", l.Try, l.AgentID)
				}
				if !l.StartedAt.Equal(died) {
					t.Errorf("started at %v, want that of the first try, %v", l.StartedAt, died)
				}
				stop()
				checkLost(t, store, started.Attempt.ID)
			})
		})
	}
}

func putAgent(t *testing.T, store trowel.Store, id string, lease time.Duration) {
	t.Helper()
	now := time.Now()
	err := store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.PutAgent(t.Context(), &trowel.Agent{ID: id, Name: id, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(lease)})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// claimAndDie has a server claim a task and die.
func claimAndDie(t *testing.T, store trowel.Store) {
	t.Helper()
	given, die := serve(t, store, "dead", false)
	<-given
	die()
}

// serve runs a server whose agent takes tasks and never reports. stop ends it.
func serve(t *testing.T, store trowel.Store, agent string, sole bool) (given chan *trowel.Lease, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a := &scripted{name: agent, room: 1, finished: make(chan *trowel.Lease, 1)}
	f := flush.New(flush.Options{
		Store: store, Agent: a, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1000}, Attempts: 100, RetryForever: true, Recover: true, Exclusive: sole,
	})
	var running sync.WaitGroup
	running.Go(func() { _ = f.Run(ctx) })
	return a.finished, func() {
		cancel()
		running.Wait()
	}
}

// checkLost checks that the first try is recorded as lost, and the dead agent is forgotten.
func checkLost(t *testing.T, store trowel.Store, id trowel.AttemptID) {
	t.Helper()
	err := store.View(t.Context(), func(tx trowel.Tx) error {
		tries, err := tx.ListTries(t.Context(), id)
		if err != nil {
			return err
		}
		if len(tries) != 1 || tries[0].Number != 1 || tries[0].Exit != trowel.ExitLost || tries[0].AgentID != "dead" {
			t.Errorf("tries = %+v, want the lost one", tries)
		}
		agents, err := tx.ListAgents(t.Context())
		if len(agents) != 1 || agents[0].ID != "living" {
			t.Errorf("%d agents, want the living one", len(agents))
		}
		if err != nil {
			return err
		}
		records, err := tx.ListRecords(t.Context(), trowel.RecordFilter{Action: trowel.ActionAgentLost, Limit: 10})
		if len(records) != 1 || records[0].ObjectID != "dead" || records[0].Actor != "engine" || param.JSON(records[0].After) != `{"tries":1}` {
			t.Errorf("records = %+v, want one of the dead agent with its try", records)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A server without an executor learns that another one has ended its attempt, and one with an executor
// takes up what others begin, without being told.
func TestEndedElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, store, setting := beginWith(t, success, func(o *flush.Options, a *scripted) { o.RetryForever, a.room = true, 0 })
		putAgent(t, store, "executor", 24*time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		a := &scripted{name: "executor", room: 4, run: success, finished: make(chan *trowel.Lease, 4)}
		a.flusher = flush.New(flush.Options{
			Store: store, Agent: a, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Limits: engine.Limits{Tasks: 1000}, Attempts: 100, RetryForever: true, Recover: true,
		})
		var running sync.WaitGroup
		running.Go(func() { _ = a.flusher.Run(ctx) })
		running.Go(a.work)
		<-time.After(time.Second) // it has looked once, and found nothing
		begun := time.Now()
		started := start(t, f, setting, 0, group(3))
		if got := (<-started.Ended).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("the end was heard after %v, want at most two looks of 10 s", took)
		}
		cancel()
		close(a.finished)
		running.Wait()
	})
}
