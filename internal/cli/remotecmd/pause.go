package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Pause returns the row of the command pause.
func Pause() cmd.Command {
	return cmd.Command{
		Name: "pause", Section: cmd.SectionSchedule, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "pause <project-name> <name>", Text: "let no new attempt of a workflow begin"}},
		Min:   2, Max: 2,
		Options: []cmd.Option{noteOption, jsonOption},
		Run:     remote(runPause),
	}
}

// runPause pauses a workflow: nothing new of it begins (control K816).
func runPause(ctx context.Context, c *cmd.Call, server *client.Client) error {
	state, err := changePause(ctx, c, server, false)
	if err != nil || c.Args.Given("--json") {
		return err
	}
	terminal.Say(c.Env.Stdout, "Paused workflow: %s/%s\n", state.Project.Name, state.Workflow)
	if state.Running > 0 {
		terminal.Say(c.Env.Stdout, "%s on.\n", textutil.Count(state.Running, "running attempt goes", "running attempts go"))
	}
	return nil
}

// Unpause returns the row of the command unpause.
func Unpause() cmd.Command {
	return cmd.Command{
		Name: "unpause", Section: cmd.SectionSchedule, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "unpause <project-name> <name>", Text: "end a pause: attempts that wait begin"}},
		Min:   2, Max: 2,
		Options: []cmd.Option{noteOption, jsonOption},
		Run:     remote(runUnpause),
	}
}

// runUnpause ends the pause of a workflow.
func runUnpause(ctx context.Context, c *cmd.Call, server *client.Client) error {
	state, err := changePause(ctx, c, server, true)
	if err != nil || c.Args.Given("--json") {
		return err
	}
	terminal.Say(c.Env.Stdout, "Resumed workflow: %s/%s\n", state.Project.Name, state.Workflow)
	return nil
}

func changePause(ctx context.Context, c *cmd.Call, server *client.Client, undo bool) (*api.WorkflowState, error) {
	project, err := findProject(ctx, server, c.Args.Positional[0])
	if err != nil {
		return nil, err
	}
	state, err := server.PauseWorkflow(ctx, project.ID, c.Args.Positional[1], undo, api.NoteRequest{Note: c.Args.Text("--note")})
	if err == nil && c.Args.Given("--json") {
		err = cmd.PrintJSON(c, state)
	}
	return state, err
}
