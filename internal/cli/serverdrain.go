package cli

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

// drainLocal makes the agent in this process do what its row says.
func (p *serverProcess) drainLocal(ctx context.Context) error {
	id := p.agent.ID()
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
