package hub

import (
	"context"
	"log/slog"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
)

// A try whose report was taken takes no slot, whatever was read of it before that was stored, and whether or
// not the agent still had it when it sent its heartbeat.
func TestEndedTakesNoSlot(t *testing.T) {
	t.Parallel()
	one := tryNumber(1)
	running, held := map[trowel.TryID]trowel.LiveTask{one: {}}, map[trowel.TryID]bool{one: true}
	for name, held := range map[string]map[trowel.TryID]bool{"not held any more": nil, "still held": held} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(1)
			p.reconnect(newStream(p), nil, nil)
			p.Assign([]*trowel.Lease{leaseNumber(1)})
			done := p.endings.read()
			p.endings.begin(one)
			p.end(one, func() {})
			free := func(step string) {
				t.Helper()
				if lost, again := p.compare(running, held); len(lost)+len(again) > 0 || p.Free() != 1 {
					t.Errorf("%s: lost %v, again %v, %d slots free; want nothing and 1", step, lost, again, p.Free())
				}
			}
			free("before it is stored")
			p.endings.answered(one)
			free("with what was read before it was stored")
			again := p.reconnect(newStream(p), running, held)
			if len(again) > 0 || p.Free() != 1 {
				t.Errorf("a new stream: again %v, %d slots free; want nothing and 1", again, p.Free())
			}
			done()
			if p.endings.has(one) {
				t.Error("it is remembered although nobody can see it any more")
			}
		})
	}
}

// What an agent had and has no more, and does not run by the database, has ended elsewhere: its slot is free
// at once.
func TestCompareFreesWhatWasHad(t *testing.T) {
	t.Parallel()
	p := newPeer(1)
	one := tryNumber(1)
	p.reconnect(newStream(p), map[trowel.TryID]trowel.LiveTask{one: {}}, map[trowel.TryID]bool{one: true})
	if p.Free() != 0 {
		t.Error("a try from another server takes no slot")
	}
	if lost, again := p.compare(nil, nil); len(lost)+len(again) > 0 || p.Free() != 1 {
		t.Errorf("lost %v, again %v, %d slots free; want nothing and 1", lost, again, p.Free())
	}
}

// runningStore has a task that runs, until it is told that it has ended.
type runningStore struct {
	trowel.Store

	read func() // after the running tasks were read
}

type runningTx struct {
	trowel.Tx

	store *runningStore
}

func (s *runningStore) View(_ context.Context, f func(tx trowel.Tx) error) error {
	return f(runningTx{store: s})
}

func (runningTx) FindAgent(_ context.Context, id string) (*trowel.Agent, error) {
	return &trowel.Agent{ID: id, Name: id, Slots: 1}, nil
}

func (runningTx) RenewLeases(_ context.Context, ids []string, _, _ time.Time) ([]string, error) {
	return ids, nil
}

func (s *runningStore) Update(_ context.Context, f func(tx trowel.Tx) error) error {
	return f(runningTx{store: s})
}

func (tx runningTx) ListRunningOf(context.Context, string) ([]trowel.LiveTask, error) {
	defer tx.store.read()
	return []trowel.LiveTask{{TaskID: 1, AttemptID: 1, Try: 1}}, nil
}

// The report of a try comes while a heartbeat reads that it runs: the agent has room afterwards.
func TestReportDuringHeartbeat(t *testing.T) {
	t.Parallel()
	store := &runningStore{}
	reported := make(chan trowel.Report, 1)
	renewals := queue.NewRenewals(queue.RenewalOptions{Store: store, Lease: time.Millisecond, Now: time.Now})
	h := New(Options{
		Store: store, Flusher: &idleFlusher{attached: map[string]bool{}}, Renewals: renewals, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Report: func(r trowel.Report) { reported <- r },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = renewals.Run(ctx)
	}()
	p, err := h.begin("a")
	if err != nil {
		t.Fatal(err)
	}
	p.row = trowel.Agent{ID: "a", Name: "a", Slots: 1}
	p.silent = time.Hour
	p.connected()
	p.reconnect(newStream(p), nil, nil)
	p.Assign([]*trowel.Lease{leaseNumber(1)})
	answered := make(chan error, 1)
	store.read = func() {
		go func() {
			_, err := h.Reports(ctx, "a", 0, api.AgentReports{Reports: []api.AgentReport{{TaskID: 1, AttemptID: 1, Try: 1, Outcome: api.AgentSuccess}}})
			answered <- err
		}()
		r := <-reported
		r.Answer(nil)
	}
	if _, err := h.Beat(ctx, "a", 0, api.AgentHeld{Tries: []api.AgentTry{{TaskID: 1, Try: 1}}}); err != nil {
		t.Error(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if p.Free() != 1 {
		t.Error("a try that has ended takes a slot")
	}
	cancel()
	<-ended
}
