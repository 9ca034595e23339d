package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
)

// Defaults of HeartbeatOptions.
const (
	DefaultEvery = 10 * time.Second
	DefaultLease = 30 * time.Second
)

// Holder is an agent whose lease is kept.
type Holder interface {
	// Hold gives the agent the id of its lease: from now on tasks are claimed in its name. Tries that
	// were claimed under another id before are not the agent's any more, so it ends them at once.
	Hold(id string)
}

// HeartbeatOptions are what a Heartbeat works with. Store, Agent, Name, Now and Log are required.
type HeartbeatOptions struct {
	Store   trowel.Store
	Agent   Holder
	Name    string // what people know the agent by: agent.id, or <pid>@<host>
	Version string
	Slots   int           // zero for no limit
	Every   time.Duration // between two renewals
	Lease   time.Duration // how long a lease lasts after a renewal; a few times Every
	Now     func() time.Time
	Log     *slog.Logger
}

// Heartbeat keeps the lease of one agent: a row that says until when the tasks that it has claimed
// are its own.
//
// What decides is whether the row is there. Who finds that a lease has ended deletes it, before the
// tasks are released; until then the agent may renew it, however late. So a database that is away for
// longer than a lease takes nothing from anybody. An agent whose row was deleted gets another id, as
// its earlier tries may be run elsewhere by now.
type Heartbeat struct {
	opts HeartbeatOptions

	mu  sync.Mutex
	row trowel.Agent
}

// NewHeartbeat returns a Heartbeat; call Register, then Run, and End when the agent has stopped.
func NewHeartbeat(opts HeartbeatOptions) *Heartbeat {
	if opts.Every <= 0 {
		opts.Every = DefaultEvery
	}
	if opts.Lease <= 0 {
		opts.Lease = DefaultLease
	}
	return &Heartbeat{opts: opts}
}

// Register stores the agent under a new id, which was never used before, and tells it so. To be
// called before the first task is claimed.
func (h *Heartbeat) Register(ctx context.Context) error {
	now := h.opts.Now()
	row := trowel.Agent{
		ID: uuid.NewString(), Name: h.opts.Name, Version: h.opts.Version, Slots: h.opts.Slots,
		StartedAt: now, SeenAt: now, LeaseEnds: now.Add(h.opts.Lease),
	}
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.PutAgent(ctx, &row) })
	if err != nil {
		return fmt.Errorf("register agent %q: %w", row.Name, err)
	}
	h.mu.Lock()
	h.row = row
	h.mu.Unlock()
	h.opts.Agent.Hold(row.ID)
	return nil
}

// Run renews the lease until ctx ends. It is woken by a timer only; after a failure it tries again
// sooner. If it dies half-way, the lease ends by itself.
func (h *Heartbeat) Run(ctx context.Context) error {
	timer := time.NewTimer(h.opts.Every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		pause := h.opts.Every
		if err := h.beat(ctx); err != nil && ctx.Err() == nil {
			h.opts.Log.WarnContext(ctx, "lease not renewed", slog.String("agent", h.opts.Name), slog.Any("error", err))
			pause = min(pause, time.Second)
		}
		timer.Reset(pause)
	}
}

// beat renews the lease, or finds that it is lost and registers the agent anew.
func (h *Heartbeat) beat(ctx context.Context) error {
	h.mu.Lock()
	row := h.row
	h.mu.Unlock()
	row.SeenAt = h.opts.Now()
	row.LeaseEnds = row.SeenAt.Add(h.opts.Lease)
	lost := false
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		lost = false
		renewed, err := tx.RenewLeases(ctx, []string{row.ID}, row.SeenAt, row.LeaseEnds)
		lost = err == nil && len(renewed) == 0
		return err
	})
	if err != nil {
		return err
	}
	if !lost {
		return nil
	}
	h.opts.Log.WarnContext(ctx, "lease lost, its tries are stopped", slog.String("agent", row.Name))
	return h.Register(ctx)
}

// End deletes the agent. What it may still run is free for others at once.
func (h *Heartbeat) End(ctx context.Context) error {
	h.mu.Lock()
	id := h.row.ID
	h.mu.Unlock()
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteAgent(ctx, id) })
	if err != nil {
		return fmt.Errorf("end the lease of agent %q: %w", h.opts.Name, err)
	}
	return nil
}
