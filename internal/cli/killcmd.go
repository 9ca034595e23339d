package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// runKill asks to stop an attempt (server 1.10.10).
func runKill(ctx context.Context, c *call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	kill := func(ctx context.Context, c *call, server *client.Client) error {
		if _, err := server.KillAttempt(ctx, id); err != nil {
			return err
		}
		terminal.Say(c.env.Stdout, "Kill requested for session attempt %s\n", id)
		return nil
	}
	return remote(kill)(ctx, c)
}
