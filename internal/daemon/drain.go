package daemon

import (
	"context"
	"errors"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
)

// agentsChanged makes the agents of this server notice that they should take nothing new, or go on. For the one in
// this process this has happened when it returns.
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

// drainLocal makes the agent in this process do what its row says. If the server is stopping, the row gets to say that
// the agent takes nothing new, even if somebody told it to go on.
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
		return nil // it will get another id, and a new row
	}
	p.flusher.Wake()
	return err
}

// drainForGood shows everybody who looks at the agent that it takes no more tasks.
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
