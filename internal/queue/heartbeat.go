package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Defaults: the length of a lease, and the time between two renewals.
const (
	DefaultHeartbeat = 10 * time.Second
	DefaultLease     = 30 * time.Second
)

// LeaseHolder is an agent with a lease.
type LeaseHolder interface {
	// Rebind gives the agent the id of its lease; from now on tasks are claimed under this id. Tries that were claimed
	// under an earlier id are not the agent's any more, so it ends them at once.
	Rebind(id string)
	// SuspendReason is why the agent has suspended taking tasks; empty if it has not.
	SuspendReason() string
}

// HeartbeatOptions are what a Heartbeat works with. Store, Renewals, Agent, Row and Log are required.
type HeartbeatOptions struct {
	Store    trowel.Store
	Renewals *Renewals
	Agent    LeaseHolder
	// Row is the agent's row. The Heartbeat sets its id and instants.
	Row      trowel.Agent
	Interval time.Duration // between two renewals
	Log      *slog.Logger
}

// Heartbeat keeps the lease of the agent of this process: a row that says until when the agent owns the tasks that it
// has claimed.
//
// The agent owns them as long as the row exists. Any server that finds an expired lease deletes the row before it
// releases the tasks. Until then the agent may renew it, however late, so nobody loses tasks because the database was
// away for longer than a lease. An agent whose row was deleted gets another id, because its earlier tries may run
// elsewhere by now.
type Heartbeat struct {
	opts HeartbeatOptions

	storedReason string // the suspend reason that is stored; used by Run's goroutine only

	mu sync.Mutex
	id string
}

// NewHeartbeat returns a Heartbeat; call Register, then Run, and End when the agent has stopped.
func NewHeartbeat(opts HeartbeatOptions) *Heartbeat {
	if opts.Interval <= 0 {
		opts.Interval = DefaultHeartbeat
	}
	return &Heartbeat{opts: opts}
}

// Register stores the agent under a new, unique id and tells the agent. It must be called before the first task is
// claimed.
func (h *Heartbeat) Register(ctx context.Context) error {
	row := h.opts.Row
	if err := h.opts.Renewals.Register(ctx, &row); err != nil {
		return err
	}
	h.mu.Lock()
	h.id = row.ID
	h.mu.Unlock()
	h.opts.Agent.Rebind(row.ID)
	return nil
}

// Run renews the lease until ctx ends. Only a timer wakes it; after a failure it tries again sooner. If it dies
// half-way, the lease expires by itself.
func (h *Heartbeat) Run(ctx context.Context) error {
	timer := time.NewTimer(h.opts.Interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		pause := h.opts.Interval
		if err := h.beat(ctx); err != nil && ctx.Err() == nil {
			h.opts.Log.WarnContext(ctx, "lease not renewed", slog.String("agent", h.opts.Row.Name), slog.Any("error", err))
			pause = min(pause, time.Second)
		}
		timer.Reset(pause)
	}
}

// beat renews the lease. If the lease is lost, it registers the agent again.
func (h *Heartbeat) beat(ctx context.Context) error {
	held, err := h.opts.Renewals.Renew(ctx, h.agentID())
	if err != nil {
		return err
	}
	if held {
		h.storeSuspension(ctx)
		return nil
	}
	h.opts.Log.WarnContext(ctx, "lease lost, its tries are stopped", slog.String("agent", h.opts.Row.Name))
	h.storedReason = ""
	return h.Register(ctx)
}

// storeSuspension stores whether the agent has suspended taking tasks, and why. If that fails, the next heartbeat tries again.
func (h *Heartbeat) storeSuspension(ctx context.Context) {
	reason := h.opts.Agent.SuspendReason()
	if reason == h.storedReason {
		return
	}
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.SuspendAgent(ctx, h.agentID(), reason) })
	if err != nil {
		h.opts.Log.WarnContext(ctx, "it is not stored whether the agent takes tasks", slog.String("agent", h.opts.Row.Name), slog.Any("error", err))
		return
	}
	h.storedReason = reason
}

func (h *Heartbeat) agentID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// End deletes the agent's row. Tasks that it may still run are free for other agents at once.
func (h *Heartbeat) End(ctx context.Context) error {
	id := h.agentID()
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteAgent(ctx, id) })
	if err != nil {
		return fmt.Errorf("end the lease of agent %q: %w", h.opts.Row.Name, err)
	}
	return nil
}
