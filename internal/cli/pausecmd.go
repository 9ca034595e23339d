package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// runPause lets nothing new of a workflow begin (control K816).
func runPause(ctx context.Context, c *call, server *client.Client) error {
	state, err := changePause(ctx, c, server, false)
	if err != nil || c.args.given("--json") {
		return err
	}
	terminal.Say(c.env.Stdout, "Paused workflow: %s/%s\n", state.Project.Name, state.Workflow)
	if state.Running > 0 {
		terminal.Say(c.env.Stdout, "%s on.\n", textutil.Count(state.Running, "running attempt goes", "running attempts go"))
	}
	return nil
}

// runUnpause ends that.
func runUnpause(ctx context.Context, c *call, server *client.Client) error {
	state, err := changePause(ctx, c, server, true)
	if err != nil || c.args.given("--json") {
		return err
	}
	terminal.Say(c.env.Stdout, "Resumed workflow: %s/%s\n", state.Project.Name, state.Workflow)
	return nil
}

func changePause(ctx context.Context, c *call, server *client.Client, undo bool) (*api.WorkflowState, error) {
	project, err := findProject(ctx, server, c.args.positional[0])
	if err != nil {
		return nil, err
	}
	state, err := server.PauseWorkflow(ctx, project.ID, c.args.positional[1], undo, api.NoteRequest{Note: c.args.text("--note")})
	if err == nil && c.args.given("--json") {
		err = printJSON(c, state)
	}
	return state, err
}
