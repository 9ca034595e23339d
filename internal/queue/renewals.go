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

// longestGather is how long a heartbeat waits for others at most.
const longestGather = time.Second

// RenewalOptions are what Renewals work with. Store and Now are required.
type RenewalOptions struct {
	Store trowel.Store
	Lease time.Duration // how long a lease lasts after a renewal; 30 s if zero
	Now   func() time.Time
}

// Renewals renews the leases of all agents of a server: heartbeats are gathered for up to a second, and at
// most for a quarter of a lease, and written in one statement. It is safe for concurrent use.
type Renewals struct {
	opts   RenewalOptions
	gather time.Duration
	wake   wait.Signal // a heartbeat has come

	mu      sync.Mutex
	waiting map[string][]chan<- renewal // by the agent's id
}

// renewal is what became of a heartbeat.
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
		opts: opts, gather: min(longestGather, opts.Lease/4), wake: wait.NewSignal(), waiting: map[string][]chan<- renewal{},
	}
}

// Register stores an agent under a new id, which was never used before, with a lease that begins now.
func (r *Renewals) Register(ctx context.Context, row *trowel.Agent) error {
	now := r.opts.Now()
	row.ID, row.StartedAt, row.SeenAt, row.LeaseEnds = uuid.NewString(), now, now, now.Add(r.opts.Lease)
	err := r.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.PutAgent(ctx, row) })
	if err != nil {
		return fmt.Errorf("register agent %q: %w", row.Name, err)
	}
	return nil
}

// Renew moves the end of an agent's lease, and returns when that is written. held reports whether the agent's
// row was there; if it was not, its tries are not its own any more. Renewing twice is harmless.
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

// Run writes renewals until ctx ends. It is woken by the first heartbeat after a pause and takes all that
// come meanwhile. If it dies half-way, agents send their next heartbeat as ever.
func (r *Renewals) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.wake:
		}
		if cause := wait.Sleep(ctx, r.gather); cause != nil {
			return cause
		}
		r.write(ctx)
	}
}

// write renews what has come, and answers.
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
