package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/queue"
)

// serverAgents are the agents of a server: its own one, and the remote agents that it serves.
type serverAgents struct {
	*process

	store     trowel.Store
	flusher   *flush.Flusher
	own       *agent.Agent
	renewals  *queue.Renewals
	heartbeat *queue.Heartbeat // of its own agent; nil if no tasks run here
	hub       *hub.Hub         // nil if there are no remote agents

	stopping atomic.Bool // its own agent takes no more tasks
}

// register stores the row of the server's own agent, if tasks run here.
func (a *serverAgents) register(ctx context.Context) error {
	if a.heartbeat == nil {
		return nil
	}
	return a.heartbeat.Register(ctx)
}

// start starts the parts that keep agents alive.
func (a *serverAgents) start() {
	a.parts.startNamed("renewals", a.renewals.Run)
	if a.heartbeat != nil {
		a.parts.startNamed("heartbeat", a.heartbeat.Run)
	}
	if a.hub != nil {
		a.parts.startNamed("remote agents", a.hub.Run)
	}
}

// changed makes the agents of this server notice that they should take nothing new, or go on. For its own agent this has
// happened when it returns.
func (a *serverAgents) changed() { a.parts.timed(a.refresh) }

// drain makes the server's own agent take nothing new, for good, and sends remote ones to other servers.
func (a *serverAgents) drain() {
	a.own.Drain()
	if a.hub != nil {
		a.hub.Drain()
	}
	a.stopping.Store(true)
	a.parts.background(a.refresh) // this must not wait for the database
}

// end deletes the row of the server's own agent.
func (a *serverAgents) end(ctx context.Context) error {
	if a.heartbeat == nil {
		return nil
	}
	return a.heartbeat.End(ctx)
}

// refresh asks remote agents and the server's own one to look at their rows.
func (a *serverAgents) refresh(ctx context.Context) {
	if a.hub != nil {
		a.hub.AgentsChanged()
	}
	if err := a.drainOwn(ctx); err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "the server's own agent was not looked at", slog.Any("error", err))
	}
}

// drainOwn makes the server's own agent do what its row says. If the server is stopping, the row gets to say that
// the agent takes nothing new, even if somebody told it to go on.
func (a *serverAgents) drainOwn(ctx context.Context) error {
	id := a.own.ID()
	if a.stopping.Load() {
		return a.drainForGood(ctx, id)
	}
	err := a.store.View(ctx, func(tx trowel.Tx) error {
		row, err := tx.FindAgent(ctx, id)
		if err == nil {
			a.own.SetDrained(id, !row.DrainedAt.IsZero())
		}
		return err
	})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it will get another id, and a new row
	}
	a.flusher.Wake()
	return err
}

// drainForGood shows everybody who looks at the agent that it takes no more tasks.
func (a *serverAgents) drainForGood(ctx context.Context, id string) error {
	err := a.store.Update(ctx, func(tx trowel.Tx) error {
		row, err := tx.FindAgent(ctx, id)
		if err != nil || !row.DrainedAt.IsZero() {
			return err
		}
		return tx.DrainAgent(ctx, id, a.opts.Now())
	})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it runs nothing, or has ended
	}
	return err
}
