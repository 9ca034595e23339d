package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// holder notes the ids that it gets.
type holder struct {
	mu    sync.Mutex
	ids   []string
	rests string
}

func (h *holder) SuspendReason() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rests
}

func (h *holder) rest(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rests = reason
}

func (h *holder) Rebind(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids = append(h.ids, id)
}

func (h *holder) held() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.ids...)
}

// fixture is a heartbeat in a bubble, with a store that can be away.
type fixture struct {
	store  trowel.Store
	holder holder
	away   atomic.Bool
	beat   *queue.Heartbeat
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db := trowtest.Store(t)
	f := &fixture{store: db}
	faulty := storetest.NewFaulty(db, func() storetest.Plan {
		if f.away.Load() {
			return storetest.Plan{Fault: storetest.Begin}
		}
		return storetest.Plan{}
	})
	renewals := queue.NewRenewals(queue.RenewalOptions{Store: faulty, Now: time.Now})
	f.beat = queue.NewHeartbeat(queue.HeartbeatOptions{
		Store: faulty, Renewals: renewals, Agent: &f.holder, Row: trowel.Agent{Name: "1@host", Version: "1", Slots: 4},
		Log: slog.New(slog.DiscardHandler),
	})
	if err := f.beat.Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = renewals.Run(ctx) })
	running.Go(func() {
		if err := f.beat.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("heartbeat: %v", err)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return f
}

func (f *fixture) agents(t *testing.T) (list []*trowel.Agent) {
	t.Helper()
	trowtest.View(t, f.store, func(tx trowel.Tx) (err error) {
		list, err = tx.ListAgents(t.Context())
		return err
	})
	return list
}

// The row says why the agent takes nothing for a while: also one that it gets meanwhile, and when the store was away.
func TestHeartbeatTellsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		soon := func(want string) {
			t.Helper()
			<-time.After(25 * time.Second)
			synctest.Wait()
			if agents := f.agents(t); len(agents) != 1 || agents[0].SuspendReason != want {
				t.Errorf("agents = %+v, want one that rests for %q", agents, want)
			}
		}
		f.away.Store(true)
		f.holder.rest("full")
		soon("")
		f.away.Store(false)
		soon("full")
		err := f.store.Update(t.Context(), func(tx trowel.Tx) error { return tx.DeleteAgent(t.Context(), f.holder.held()[0]) })
		if err != nil {
			t.Fatal(err)
		}
		soon("full")
		f.holder.rest("")
		soon("")
	})
}

// A heartbeat keeps its row, with a lease that has at least 19 of its 30 seconds left.
func TestHeartbeatRenews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for range 50 {
			<-time.After(7 * time.Second)
			synctest.Wait()
			agents := f.agents(t)
			if len(agents) != 1 || agents[0].Name != "1@host" || agents[0].Slots != 4 || agents[0].ID != f.holder.held()[0] {
				t.Fatalf("agents = %+v, want one that is held", agents)
			}
			if left := time.Until(agents[0].LeaseEnds); left < 19*time.Second || left > 30*time.Second {
				t.Fatalf("the lease ends in %v, want 19 to 30 s", left)
			}
		}
		if err := f.beat.End(t.Context()); err != nil || len(f.agents(t)) != 0 {
			t.Errorf("End: error %v, agents %v, want none", err, f.agents(t))
		}
		if n := len(f.holder.held()); n != 1 {
			t.Errorf("the agent got %d ids, want one", n)
		}
	})
}

// A store that is away for longer than a lease takes nothing from an agent whose row is still there.
func TestHeartbeatSurvivesOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.away.Store(true)
		<-time.After(time.Hour)
		f.away.Store(false)
		<-time.After(3 * time.Second)
		synctest.Wait()
		agents := f.agents(t)
		if len(agents) != 1 || len(f.holder.held()) != 1 || time.Until(agents[0].LeaseEnds) < 19*time.Second {
			t.Errorf("agents = %+v and ids %v, want the same one with a new lease", agents, f.holder.held())
		}
	})
}

// An agent whose row was deleted gets another id.
func TestHeartbeatLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		first := f.holder.held()[0]
		err := f.store.Update(t.Context(), func(tx trowel.Tx) error { return tx.DeleteAgent(t.Context(), first) })
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(12 * time.Second)
		synctest.Wait()
		held, agents := f.holder.held(), f.agents(t)
		if len(held) != 2 || held[1] == first || len(agents) != 1 || agents[0].ID != held[1] {
			t.Errorf("ids = %v, agents = %+v, want another id that is stored", held, agents)
		}
	})
}
