package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// longestDelay is how long a heartbeat waits for others at most.
const longestDelay = time.Second

// RenewalOptions are the dependencies of Renewals. Store and Now are required.
type RenewalOptions struct {
	Store trowel.Store
	Lease time.Duration // how long a lease lasts after a renewal; 30 s if zero
	Now   func() time.Time
}

// Renewals renews the leases of all agents of a server. It gathers heartbeats for up to a second, or a quarter of a
// lease if that is shorter, and writes them in one statement. It is safe for concurrent use.
type Renewals struct {
	opts  RenewalOptions
	delay time.Duration
	wake  wait.Signal // a heartbeat has come

	mu      sync.Mutex
	waiting map[string][]chan<- renewal // by agent id
}

// renewal is the answer to a heartbeat.
type renewal struct {
	held bool
	err  error
}

// NewRenewals returns Renewals; Run makes them work.
func NewRenewals(opts RenewalOptions) *Renewals {
	if opts.Lease <= 0 {
		opts.Lease = DefaultLease
	}
	return &Renewals{
		opts: opts, delay: min(longestDelay, opts.Lease/4), wake: wait.NewSignal(), waiting: map[string][]chan<- renewal{},
	}
}

// Register stores an agent under a new, unique id, with a lease that begins now.
func (r *Renewals) Register(ctx context.Context, row *trowel.Agent) error {
	now := r.opts.Now()
	row.ID, row.StartedAt, row.SeenAt, row.LeaseEnds = uuid.NewString(), now, now, now.Add(r.opts.Lease)
	err := r.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.PutAgent(ctx, row) })
	if err != nil {
		return fmt.Errorf("register agent %q: %w", row.Name, err)
	}
	return nil
}

// Renew extends an agent's lease and returns when that is written. held reports whether the agent's row existed; if not,
// the agent has lost its tries. Renewing twice is harmless.
func (r *Renewals) Renew(ctx context.Context, id string) (held bool, err error) {
	answer := make(chan renewal, 1)
	r.mu.Lock()
	r.waiting[id] = append(r.waiting[id], answer)
	r.mu.Unlock()
	r.wake.Set()
	select {
	case got := <-answer:
		return got.held, got.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// Run writes renewals until ctx ends. The first heartbeat wakes it, and it takes all that come while it waits. If it
// dies half-way, agents just send their next heartbeat.
func (r *Renewals) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.wake:
		}
		if cause := wait.Sleep(ctx, r.delay); cause != nil {
			return cause
		}
		r.write(ctx)
	}
}

// write renews the leases of all waiting agents and answers them.
func (r *Renewals) write(ctx context.Context) {
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = make(map[string][]chan<- renewal, len(waiting))
	r.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(waiting))
	held := make(map[string]bool, len(ids))
	err := r.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		now := r.opts.Now()
		renewed, err := tx.RenewLeases(ctx, ids, now, now.Add(r.opts.Lease))
		clear(held)
		for _, id := range renewed {
			held[id] = true
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("renew the leases of %d agents: %w", len(ids), err)
	}
	for _, id := range ids {
		for _, answer := range waiting[id] {
			answer <- renewal{held[id], err}
		}
	}
}
