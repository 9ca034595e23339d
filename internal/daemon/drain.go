package daemon

import (
	"context"
	"errors"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
)

// agentsChanged lets the agents of this server know that they shall take nothing new, or go on. The one in
// this process does so when it returns.
func (p *serverProcess) agentsChanged() {
	if p.hub != nil {
		p.hub.AgentsChanged()
	}
	ctx, cancel := context.WithTimeout(p.partsCtx, requestTimeout)
	defer cancel()
	if err := p.drainLocal(ctx); err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "the server's own agent was not looked at", slog.Any("error", err))
	}
}

// drainLocal makes the agent in this process do what its row says. Of a server that stops, the row says that
// the agent takes nothing new, also if somebody told it to go on.
func (p *serverProcess) drainLocal(ctx context.Context) error {
	id := p.agent.ID()
	if p.stopping.Load() {
		return p.drainForGood(ctx, id)
	}
	err := p.store.View(ctx, func(tx trowel.Tx) error {
		row, err := tx.FindAgent(ctx, id)
		if err == nil {
			p.agent.SetDrained(id, !row.DrainedAt.IsZero())
		}
		return err
	})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it will have another id, and a row that says nothing
	}
	p.flusher.Wake()
	return err
}

// drainForGood lets all who look at the agent see that it takes nothing more.
func (p *serverProcess) drainForGood(ctx context.Context, id string) error {
	err := p.store.Update(ctx, func(tx trowel.Tx) error {
		row, err := tx.FindAgent(ctx, id)
		if err != nil || !row.DrainedAt.IsZero() {
			return err
		}
		return tx.DrainAgent(ctx, id, p.opts.Now())
	})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it runs nothing, or has ended
	}
	return err
}
