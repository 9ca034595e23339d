package flush_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest"
)

// TestDeaths is TestFaults with servers that die at any moment, one or two at a time on one store,
// each with an agent: what a dead one had claimed is run again, late reports of its agent are refused,
// and nothing is lost or counts twice.
func TestDeaths(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(2 * time.Second)
	for i := 0; i < *rounds || (*rounds == 0 && time.Now().Before(until)); i++ {
		number := *seed + uint64(i)
		synctest.Test(t, func(t *testing.T) {
			if err := newDeadly(t, number).run(t); err != nil {
				t.Fatalf("round %d: %v", number, err)
			}
		})
	}
}

// deadly is one round.
type deadly struct {
	*faulty

	sole   bool // one server at a time
	lease  time.Duration
	poll   time.Duration
	calm   bool // no transaction fails
	alive  []*mortal
	births int
}

// mortal is a server: a flusher and its agent.
type mortal struct {
	d       *deadly
	id      string
	flusher *flush.Flusher
	die     context.CancelFunc
	running sync.WaitGroup

	mu   sync.Mutex
	room int
}

func newDeadly(t *testing.T, number uint64) *deadly {
	t.Helper()
	d := &deadly{faulty: newFaulty(t, number), lease: 30 * time.Second, poll: 10 * time.Second}
	d.deaths, d.sole = true, d.roll(2) == 0
	return d
}

func (d *deadly) run(t *testing.T) error {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	servers := 1
	if !d.sole {
		servers += d.roll(2)
	}
	return d.runOn(t, db, servers)
}

// runOn runs the round on an empty store, with so many servers.
func (d *deadly) runOn(t *testing.T, db trowel.Store, servers int) error {
	t.Helper()
	d.store, d.setting = db, insertSetting(t, db)
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
	return errors.Join(err, d.twiceGiven())
}

// bear begins a server: its agent is registered first.
func (d *deadly) bear(t *testing.T) error {
	t.Helper()
	d.births++
	m := &mortal{d: d, id: fmt.Sprintf("agent%d", d.births), room: 1 + d.roll(10)}
	now := time.Now()
	err := d.store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.PutAgent(t.Context(), &trowel.Agent{ID: m.id, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(d.lease)})
	})
	if err != nil {
		return err
	}
	ctx, die := context.WithCancel(t.Context())
	m.die = die
	store := d.store
	if !d.calm {
		store = storetest.NewFaulty(d.store, d.plan)
	}
	m.flusher = flush.New(flush.Options{
		Store: store, Agent: m, Listeners: []flush.Listener{m}, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Limits: engine.Limits{Tasks: 1000}, Attempts: 100,
		Lasting: true, Adopt: true, Sole: d.sole, Poll: d.poll,
	})
	m.running.Go(func() {
		if err := m.flusher.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("flusher: %v", err)
		}
	})
	d.mu.Lock()
	d.alive = append(d.alive, m)
	d.mu.Unlock()
	return nil
}

func (m *mortal) end() {
	m.die()
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

// ID implements queue.Agent, like the methods below.
func (m *mortal) ID() string { return m.id }

func (m *mortal) Free() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.room
}

func (m *mortal) Give(leases []*trowel.Lease) {
	m.mu.Lock()
	m.room -= len(leases)
	m.mu.Unlock()
	for _, l := range leases {
		if l.AgentID != m.id {
			panic("a lease of " + l.AgentID + " is given to " + m.id)
		}
		r := m.d.given(l)
		m.d.working.Go(func() { m.work(r) })
	}
}

// work reports after a while. The processes of a dead server live on: their reports come to another.
func (m *mortal) work(r trowel.Report) {
	m.d.pause(200)
	m.mu.Lock()
	m.room++
	m.mu.Unlock()
	m.flusher.Report(r)
	if other := m.d.anyone(); other != nil && m.d.roll(4) == 0 {
		m.d.pause(400)
		other.flusher.Report(r)
	}
}

func (m *mortal) Cancel(tries []trowel.TryID) { m.d.Cancel(tries) }

// Heard implements flush.Listener: now and then the others are told what changed.
func (m *mortal) Heard(batch *flush.Batch) {
	other := m.d.anyone()
	if other == nil || other == m || m.d.roll(2) == 0 {
		return
	}
	for i := range batch.Changes {
		id := batch.Changes[i].Task.AttemptID
		other.flusher.Heard(flush.News{Attempts: []trowel.AttemptID{id}, Ready: []trowel.AttemptID{id}})
	}
}

func (*mortal) Serves(*trowel.Needs) bool { return true }
func (*mortal) Remote() bool              { return false }
