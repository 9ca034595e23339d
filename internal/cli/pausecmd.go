package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// pauseRow is the row of the command pause.
func pauseRow() command {
	return command{
		name: "pause", section: sectionSchedule, remote: true, extra: true,
		lines: []line{{"pause <project-name> <name>", "let no new attempt of a workflow begin"}},
		usage: []string{"pause <project-name> <name>"},
		min:   2, max: 2,
		options: []option{noteOption, jsonOption},
		run:     remote(runPause),
	}
}

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

// unpauseRow is the row of the command unpause.
func unpauseRow() command {
	return command{
		name: "unpause", section: sectionSchedule, remote: true, extra: true,
		lines: []line{{"unpause <project-name> <name>", "end a pause: attempts that wait begin"}},
		usage: []string{"unpause <project-name> <name>"},
		min:   2, max: 2,
		options: []option{noteOption, jsonOption},
		run:     remote(runUnpause),
	}
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
