package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Kill returns the row of the command kill.
func Kill() cmd.Command {
	return cmd.Command{
		Name: "kill", Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "kill <attempt-id>", Text: "stop an attempt"}},
		Min:   1, Max: 1,
		Run: runKill,
	}
}

// runKill asks to stop an attempt (server 1.10.10).
func runKill(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	kill := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		if _, err := server.KillAttempt(ctx, id); err != nil {
			return err
		}
		terminal.Say(c.Env.Stdout, "Kill requested for session attempt %s\n", id)
		return nil
	}
	return remote(kill)(ctx, c)
}
