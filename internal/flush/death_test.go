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
		return newDeadly(t, number).run(t)
	})
}

// deadly is one round.
type deadly struct {
	*faulty

	sole   bool // one server at a time
	lease  time.Duration
	poll   time.Duration
	calm   bool // no transaction fails
	ledger trowel.Store
	alive  []*mortal
	births int
}

// mortal is a server: a flusher, its own agent and a remote one.
type mortal struct {
	d       *deadly
	name    string
	flusher *trowtest.Flusher
	begun   chan struct{} // closed when there is a flusher
	die     context.CancelFunc
	running sync.WaitGroup
	own     *hand
}

func newDeadly(t *testing.T, number uint64) *deadly {
	t.Helper()
	d := &deadly{faulty: newFaulty(t, number), lease: 30 * time.Second, poll: 10 * time.Second}
	d.deaths, d.sole = true, d.roll(2) == 0
	return d
}

func (d *deadly) run(t *testing.T) error {
	t.Helper()
	servers := 1
	if !d.sole {
		servers += d.roll(2)
	}
	return d.runOn(t, trowtest.Store(t), servers, true)
}

// runOn runs the round on an empty store, with so many servers. Each transaction is checked, if there is but one
// at a time; else the store is checked now and then.
func (d *deadly) runOn(t *testing.T, db trowel.Store, servers int, checked bool) error {
	t.Helper()
	d.store, d.ledger, d.setting = db, db, d.insertSetting(t, db)
	l := &ledger{Store: db, setting: &d.setting, site: d.site}
	if checked {
		d.ledger = l
	}
	for range servers {
		if err := d.bear(t); err != nil {
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

// bear begins a server: its agents are registered first.
func (d *deadly) bear(t *testing.T) error {
	t.Helper()
	d.births++
	m := &mortal{d: d, name: fmt.Sprintf("server%d", d.births), begun: make(chan struct{})}
	m.own = &hand{m: m, id: fmt.Sprintf("agent%d", d.births), room: 1 + d.roll(10)}
	far := m.newFar()
	if err := errors.Join(m.put(t.Context(), m.own), m.put(t.Context(), far)); err != nil {
		return err
	}
	ctx, die := context.WithCancel(t.Context())
	m.die = die
	store := d.ledger
	if !d.calm {
		store = storetest.NewFaulty(store, d.plan)
	}
	m.flusher = trowtest.RunFlusher(t, flush.Options{
		Store: store, Agent: m.own, Listeners: []flush.Listener{m}, Limits: engine.Limits{Tasks: 1000},
		RetryForever: true, Recover: true, Exclusive: d.sole, Poll: d.poll, ServerID: m.name, Templates: options{d.faulty}, MaxRunning: d.site,
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
func (m *mortal) newFar() *hand {
	return &hand{m: m, id: fmt.Sprintf("far%d-%d", m.d.births, m.d.roll(1<<30)), room: 1 + m.d.roll(3), remote: true}
}

func (m *mortal) put(ctx context.Context, h *hand) error {
	now := time.Now()
	row := &trowel.Agent{ID: h.ID(), StartedAt: now, SeenAt: now, LeaseEnds: now.Add(m.d.lease), Remote: h.remote}
	if h.remote {
		row.ServerID = m.name
	}
	return m.d.store.Update(ctx, func(tx trowel.Tx) error { return tx.PutAgent(ctx, row) })
}

// beat renews the leases of the agents. Now and then one was lost: the own agent goes on under another id,
// and another remote one comes.
func (m *mortal) beat(ctx context.Context, far *hand) {
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

func (m *mortal) end() {
	m.die()
	m.flusher.Stop()
	m.running.Wait()
}

// replace lets the server that is oldest die and begins another.
func (d *deadly) replace(t *testing.T) error {
	t.Helper()
	d.mu.Lock()
	oldest := d.alive[0]
	d.alive = d.alive[1:]
	d.mu.Unlock()
	oldest.end()
	return d.bear(t)
}

// anyone returns a server that is alive; a late report may find none.
func (d *deadly) anyone() *mortal {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.alive) == 0 {
		return nil
	}
	return d.alive[d.rng.IntN(len(d.alive))]
}

// beginAll begins all cases, each at a server that is alive, while servers die.
func (d *deadly) beginAll(ctx context.Context) ([]trowel.AttemptID, error) {
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
func (d *deadly) open(ctx context.Context, ids []trowel.AttemptID) (n int, err error) {
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

func (d *deadly) checkStored(ctx context.Context, id trowel.AttemptID) error {
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

// hand is an agent of a server: its own one serves one queue, a remote one the others.
type hand struct {
	m      *mortal
	remote bool

	mu   sync.Mutex
	id   string
	room int
}

func (h *hand) rename(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id = id
}

// ID implements queue.Agent, like the methods below.
func (h *hand) ID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

func (h *hand) Free() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.room
}

func (h *hand) Assign(leases []*trowel.Lease) {
	h.mu.Lock()
	h.room -= len(leases)
	h.mu.Unlock()
	for _, l := range leases {
		r := h.m.d.given(l, new(int))
		h.m.d.working.Go(func() { h.work(r) })
	}
}

// work reports after a while. The processes of a dead server live on: their reports come to another.
func (h *hand) work(r trowel.Report) {
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

func (h *hand) Cancel(tries []trowel.TryID) { h.m.d.Cancel(tries) }
func (h *hand) Serves(n *trowel.Requirements) bool {
	return (n.QueueName() != trowel.DefaultQueue) == h.remote
}
func (h *hand) Remote() bool { return h.remote }

// Heard implements flush.Listener: now and then the others are told what changed.
func (m *mortal) Heard(batch *flush.Batch) {
	other := m.d.anyone()
	if other == nil || other == m || m.d.roll(2) == 0 {
		return
	}
	for i := range batch.Changes {
		id := batch.Changes[i].Task.AttemptID
		other.flusher.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{id}, Ready: []trowel.AttemptID{id}})
	}
}
