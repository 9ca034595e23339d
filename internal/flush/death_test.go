package flush_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// TestDeaths is TestFaults with servers that die at any moment, one or two at a time on one store,
// each with an agent: what a dead one had claimed is run again, late reports of its agent are refused,
// and nothing is lost or counts twice.
func TestDeaths(t *testing.T) {
	t.Parallel()
	play(t, func(t *testing.T, number uint64) error {
		t.Helper()
		return newDeathRound(t, number).run(t)
	})
}

// deathRound is one round.
type deathRound struct {
	*faultRound

	sole    bool // one server at a time
	lease   time.Duration
	poll    time.Duration
	calm    bool         // no transaction fails
	served  trowel.Store // what servers see of it
	alive   []*dyingServer
	started int
}

// dyingServer is a server that may die at any moment: a flusher, its own agent and a remote one.
type dyingServer struct {
	d       *deathRound
	name    string
	flusher *trowtest.Flusher
	begun   chan struct{} // closed when there is a flusher
	die     context.CancelFunc
	running sync.WaitGroup
	own     *serverAgent
}

func newDeathRound(t *testing.T, number uint64) *deathRound {
	t.Helper()
	d := &deathRound{faultRound: newFaultRound(t, number), lease: 30 * time.Second, poll: 10 * time.Second}
	d.deaths, d.sole = true, d.roll(2) == 0
	return d
}

func (d *deathRound) run(t *testing.T) error {
	t.Helper()
	servers := 1
	if !d.sole {
		servers += d.roll(2)
	}
	return d.runOn(t, trowtest.Store(t), servers, true)
}

// runOn runs the round on an empty store, with so many servers. Each transaction is checked, if there is but one
// at a time; else the store is checked now and then.
func (d *deathRound) runOn(t *testing.T, db trowel.Store, servers int, checked bool) error {
	t.Helper()
	d.store, d.served, d.context = db, db, d.insertContext(t, db)
	l := &checkedStore{Store: db, context: &d.context, site: d.site}
	if checked {
		d.served = l
	}
	for range servers {
		if err := d.startServer(t); err != nil {
			return err
		}
	}
	ids, err := d.beginAll(t.Context())
	for i := 0; err == nil; i++ {
		var open int
		if open, err = d.open(t.Context(), ids); open == 0 {
			break
		}
		d.pause(400)
		if !checked {
			l.look(t.Context())
		}
		if i < 12 && d.roll(2) == 0 {
			err = d.replace(t)
		}
		if i > 20000 {
			err = errors.New("attempts do not end")
			for _, id := range ids {
				err = fmt.Errorf("%w\n%d:%s", err, id, d.stuck(t.Context(), id))
			}
		}
	}
	d.working.Wait()
	for _, m := range d.alive {
		m.end()
	}
	for _, id := range ids {
		if err == nil {
			err = d.checkStored(t.Context(), id)
		}
	}
	if err != nil {
		return errors.Join(err, l.errors())
	}
	return errors.Join(d.twiceGiven(), l.errors(), d.nothingHeld(t.Context()))
}

// startServer starts a server: its agents are registered first.
func (d *deathRound) startServer(t *testing.T) error {
	t.Helper()
	d.started++
	m := &dyingServer{d: d, name: fmt.Sprintf("server%d", d.started), begun: make(chan struct{})}
	m.own = &serverAgent{m: m, id: fmt.Sprintf("agent%d", d.started), room: 1 + d.roll(10)}
	far := m.newFar()
	if err := errors.Join(m.put(t.Context(), m.own), m.put(t.Context(), far)); err != nil {
		return err
	}
	ctx, die := context.WithCancel(t.Context())
	m.die = die
	store := d.served
	if !d.calm {
		store = storetest.NewFaulty(store, d.plan)
	}
	m.flusher = trowtest.RunFlusher(t, flush.Options{
		Store: store, Agent: m.own, Listeners: []flush.Listener{m}, Limits: engine.Limits{Tasks: 1000},
		RetryForever: true, Recover: true, Exclusive: d.sole, Poll: d.poll, ServerID: m.name, Templates: options{d.faultRound}, MaxRunning: d.site,
		Rules: queue.Rules{Aging: time.Second, ReserveAfter: time.Second},
	})
	m.flusher.Attach(far)
	close(m.begun)
	m.running.Go(func() { m.beat(ctx, far) })
	d.mu.Lock()
	d.alive = append(d.alive, m)
	d.mu.Unlock()
	return nil
}

// newFar makes a remote agent of the server, which has not been there before.
func (m *dyingServer) newFar() *serverAgent {
	return &serverAgent{m: m, id: fmt.Sprintf("far-%s-%d", m.name, m.d.roll(1<<30)), room: 1 + m.d.roll(3), remote: true}
}

func (m *dyingServer) put(ctx context.Context, h *serverAgent) error {
	now := time.Now()
	row := &trowel.Agent{ID: h.ID(), StartedAt: now, SeenAt: now, LeaseEnds: now.Add(m.d.lease), Remote: h.remote}
	if h.remote {
		row.ServerID = m.name
	}
	return m.d.store.Update(ctx, func(tx trowel.Tx) error { return tx.PutAgent(ctx, row) })
}

// beat renews the leases of the agents. Now and then one was lost: the own agent goes on under another id,
// and another remote one comes.
func (m *dyingServer) beat(ctx context.Context, far *serverAgent) {
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(m.d.lease / 8):
		}
		err := m.d.store.Update(ctx, func(tx trowel.Tx) error {
			now := time.Now()
			_, err := tx.RenewLeases(ctx, []string{m.own.ID(), far.id}, now, now.Add(m.d.lease))
			return err
		})
		if err == nil && m.d.roll(6) == 0 {
			lost := []string{m.own.ID(), far.id}[i%2]
			err = m.d.store.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteAgent(ctx, lost) })
			if lost == far.id {
				m.flusher.Detach(far.id)
				far = m.newFar()
				err = errors.Join(err, m.put(ctx, far))
				m.flusher.Attach(far)
			} else {
				m.own.rename(fmt.Sprintf("%s-%d", lost, i))
				err = errors.Join(err, m.put(ctx, m.own))
			}
		}
		if err != nil && ctx.Err() == nil {
			panic(err)
		}
	}
}

func (m *dyingServer) end() {
	m.die()
	m.flusher.Stop()
	m.running.Wait()
}

// replace lets the server that is oldest die and begins another.
func (d *deathRound) replace(t *testing.T) error {
	t.Helper()
	d.mu.Lock()
	oldest := d.alive[0]
	d.alive = d.alive[1:]
	d.mu.Unlock()
	oldest.end()
	return d.startServer(t)
}

// anyone returns a server that is alive; a late report may find none.
func (d *deathRound) anyone() *dyingServer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.alive) == 0 {
		return nil
	}
	return d.alive[d.rng.IntN(len(d.alive))]
}

// beginAll begins all cases, each at a server that is alive, while servers die.
func (d *deathRound) beginAll(ctx context.Context) ([]trowel.AttemptID, error) {
	var ids []trowel.AttemptID
	for i, k := range d.cases {
		start, err := d.start(i, k)
		if err != nil {
			return nil, err
		}
		begun, err := d.anyone().flusher.Start(ctx, start)
		if err != nil {
			return nil, err
		}
		d.noteWait(begun.Attempt)
		id := begun.Attempt.ID
		ids = append(ids, id)
		if d.roll(4) > 0 {
			continue
		}
		d.working.Go(func() {
			d.pause(3000)
			m := d.anyone()
			if m == nil {
				return
			}
			err := m.flusher.Kill(ctx, id, killer)
			if err != nil && !errors.Is(err, trowel.ErrConflict) && !errors.Is(err, trowel.ErrUnavailable) {
				panic(err)
			}
		})
	}
	return ids, nil
}

// open counts the attempts that have not ended.
func (d *deathRound) open(ctx context.Context, ids []trowel.AttemptID) (n int, err error) {
	err = d.store.View(ctx, func(tx trowel.Tx) error {
		for _, id := range ids {
			a, err := tx.FindAttempt(ctx, id)
			if err != nil {
				return err
			}
			if a.Flags&trowel.AttemptDone == 0 {
				n++
			}
		}
		return nil
	})
	return n, err
}

func (d *deathRound) checkStored(ctx context.Context, id trowel.AttemptID) error {
	var end *trowel.Attempt
	err := d.store.View(ctx, func(tx trowel.Tx) (err error) {
		end, err = tx.FindAttempt(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.check(ctx, *end); err != nil {
		return fmt.Errorf("attempt %d: %w", id, err)
	}
	return nil
}

// serverAgent is an agent of a server: its own one serves one queue, a remote one the others.
type serverAgent struct {
	m      *dyingServer
	remote bool

	mu   sync.Mutex
	id   string
	room int
}

func (h *serverAgent) rename(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id = id
}

// ID implements queue.Agent, like the methods below.
func (h *serverAgent) ID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

func (h *serverAgent) Free() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.room
}

func (h *serverAgent) Assign(leases []*trowel.Lease) {
	h.mu.Lock()
	h.room -= len(leases)
	h.mu.Unlock()
	for _, l := range leases {
		r := h.m.d.given(l, new(int))
		h.m.d.working.Go(func() { h.work(r) })
	}
}

// work reports after a while. The processes of a dead server live on: their reports come to another.
func (h *serverAgent) work(r trowel.Report) {
	d := h.m.d
	d.pause(200)
	h.mu.Lock()
	h.room++
	h.mu.Unlock()
	<-h.m.begun
	h.m.flusher.Report(r)
	if other := d.anyone(); other != nil && d.roll(4) == 0 {
		d.pause(400)
		other.flusher.Report(r)
	}
}

func (h *serverAgent) Cancel(tries []trowel.TryID)      { h.m.d.Cancel(tries) }
func (h *serverAgent) Allows(*trowel.Requirements) bool { return true }
func (h *serverAgent) Serves(n *trowel.Requirements) bool {
	return (n.QueueName() != trowel.DefaultQueue) == h.remote
}
func (h *serverAgent) Remote() bool { return h.remote }

// Heard implements flush.Listener: now and then the others are told what changed.
func (m *dyingServer) Heard(batch *flush.Batch) {
	other := m.d.anyone()
	if other == nil || other == m || m.d.roll(2) == 0 {
		return
	}
	for i := range batch.Changes {
		id := batch.Changes[i].Task.AttemptID
		other.flusher.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{id}, Ready: []trowel.AttemptID{id}})
	}
}
