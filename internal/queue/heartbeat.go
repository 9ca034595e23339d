package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Defaults of the length of a lease, and of the time between two renewals.
const (
	DefaultEvery = 10 * time.Second
	DefaultLease = 30 * time.Second
)

// Holder is an agent whose lease is kept.
type Holder interface {
	// Hold gives the agent the id of its lease: from now on tasks are claimed in its name. Tries that
	// were claimed under another id before are not the agent's any more, so it ends them at once.
	Hold(id string)
	// RestReason is why the agent takes nothing for a while; empty if it does not rest.
	RestReason() string
}

// HeartbeatOptions are what a Heartbeat works with. Store, Renewals, Agent, Row and Log are required.
type HeartbeatOptions struct {
	Store    trowel.Store
	Renewals *Renewals
	Agent    Holder
	// Row is what is stored of the agent; id and instants are set by the Heartbeat.
	Row   trowel.Agent
	Every time.Duration // between two renewals
	Log   *slog.Logger
}

// Heartbeat keeps the lease of the agent of this process: a row that says until when the tasks that it has
// claimed are its own.
//
// What decides is whether the row is there. Who finds that a lease has ended deletes it, before the
// tasks are released; until then the agent may renew it, however late. So a database that is away for
// longer than a lease takes nothing from anybody. An agent whose row was deleted gets another id, as
// its earlier tries may be run elsewhere by now.
type Heartbeat struct {
	opts HeartbeatOptions

	rests string // the reason that is stored; of the goroutine in Run alone

	mu sync.Mutex
	id string
}

// NewHeartbeat returns a Heartbeat; call Register, then Run, and End when the agent has stopped.
func NewHeartbeat(opts HeartbeatOptions) *Heartbeat {
	if opts.Every <= 0 {
		opts.Every = DefaultEvery
	}
	return &Heartbeat{opts: opts}
}

// Register stores the agent under a new id, which was never used before, and tells it so. To be
// called before the first task is claimed.
func (h *Heartbeat) Register(ctx context.Context) error {
	row := h.opts.Row
	if err := h.opts.Renewals.Register(ctx, &row); err != nil {
		return err
	}
	h.mu.Lock()
	h.id = row.ID
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
			h.opts.Log.WarnContext(ctx, "lease not renewed", slog.String("agent", h.opts.Row.Name), slog.Any("error", err))
			pause = min(pause, time.Second)
		}
		timer.Reset(pause)
	}
}

// beat renews the lease, or finds that it is lost and registers the agent anew.
func (h *Heartbeat) beat(ctx context.Context) error {
	held, err := h.opts.Renewals.Renew(ctx, h.agentID())
	if err != nil {
		return err
	}
	if held {
		h.rest(ctx)
		return nil
	}
	h.opts.Log.WarnContext(ctx, "lease lost, its tries are stopped", slog.String("agent", h.opts.Row.Name))
	h.rests = ""
	return h.Register(ctx)
}

// rest stores why the agent takes nothing for a while, or that it goes on. If that cannot be stored it is tried
// again with the next heartbeat.
func (h *Heartbeat) rest(ctx context.Context) {
	reason := h.opts.Agent.RestReason()
	if reason == h.rests {
		return
	}
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.RestAgent(ctx, h.agentID(), reason) })
	if err != nil {
		h.opts.Log.WarnContext(ctx, "it is not stored whether the agent takes tasks", slog.String("agent", h.opts.Row.Name), slog.Any("error", err))
		return
	}
	h.rests = reason
}

func (h *Heartbeat) agentID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// End deletes the agent. What it may still run is free for others at once.
func (h *Heartbeat) End(ctx context.Context) error {
	id := h.agentID()
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteAgent(ctx, id) })
	if err != nil {
		return fmt.Errorf("end the lease of agent %q: %w", h.opts.Row.Name, err)
	}
	return nil
}
