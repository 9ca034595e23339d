package daemon

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/pool"
)

// configurePools makes or changes the pools in the settings. It leaves others as they are, and also what the
// settings do not mention.
func (p *process) configurePools(ctx context.Context, store trowel.Store) error {
	pools := p.settings.Engine.Pools
	if len(pools) == 0 {
		return nil
	}
	by := trowel.AuditRecord{At: p.opts.Now(), ActorKind: trowel.ActorServer, Actor: p.agentName(), Source: trowel.SourceConfig}
	for i := range pools {
		wanted := &pools[i]
		change := pool.Change{Name: wanted.Name, Slots: &wanted.Slots, By: by, Description: wanted.Description, IncludeDeferred: wanted.IncludeDeferred}
		err := store.Update(ctx, func(tx trowel.Tx) error {
			_, err := pool.Set(ctx, tx, change)
			return err
		})
		if err != nil {
			return fmt.Errorf("make the pool %q of the settings: %w", wanted.Name, err)
		}
	}
	return nil
}
