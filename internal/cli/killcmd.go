package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// killRow is the row of the command kill.
func killRow() command {
	return command{
		name: "kill", section: sectionSession, remote: true,
		lines: []line{{"kill <attempt-id>", "stop an attempt"}},
		usage: []string{"kill <attempt-id>"},
		min:   1, max: 1,
		run: runKill,
	}
}

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
