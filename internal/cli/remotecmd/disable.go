package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Disable returns the row of the command disable.
func Disable() cmd.Command {
	return cmd.Command{
		Name: "disable", Section: cmd.SectionSchedule, Remote: true,
		Lines: []cmd.Line{{Form: "disable <schedule-id> | <project-name> [name]", Text: "stop schedules"}},
		Min:   1, Max: 2,
		Run: remote(runDisable),
	}
}

// runDisable stops schedules (server 1.10.15).
func runDisable(ctx context.Context, c *cmd.Call, server *client.Client) error {
	return eachSchedule(ctx, c, server, func(id api.ID) error {
		done, err := server.DisableSchedule(ctx, id)
		if err != nil {
			return err
		}
		terminal.Say(c.Env.Stdout, "Disabled schedule id: %s\n", done.ID)
		return nil
	})
}

// Enable returns the row of the command enable.
func Enable() cmd.Command {
	return cmd.Command{
		Name: "enable", Section: cmd.SectionSchedule, Remote: true,
		Lines: []cmd.Line{{Form: "enable <schedule-id> | <project-name> [name]", Text: "let schedules go on"}},
		Min:   1, Max: 2,
		Run: remote(runEnable),
	}
}

// runEnable starts schedules again (server 1.10.15).
func runEnable(ctx context.Context, c *cmd.Call, server *client.Client) error {
	return eachSchedule(ctx, c, server, func(id api.ID) error {
		done, err := server.EnableSchedule(ctx, id)
		if err != nil {
			return err
		}
		terminal.Say(c.Env.Stdout, "Enabled schedule id: %s\n", done.ID)
		return nil
	})
}

// eachSchedule does something with the schedule that the arguments name by id or by project and
// workflow, or with all of a project.
func eachSchedule(ctx context.Context, c *cmd.Call, server *client.Client, do func(api.ID) error) error {
	if len(c.Args.Positional) == 2 || allDigits(c.Args.Positional[0]) {
		id, err := scheduleOfArguments(ctx, c, server)
		if err != nil {
			return err
		}
		return do(id)
	}
	project, err := findProject(ctx, server, c.Args.Positional[0])
	if err != nil {
		return err
	}
	for last := api.ID(0); ; {
		page, err := server.ListProjectSchedules(ctx, project.ID, last)
		if err != nil || len(page.Schedules) == 0 {
			return err
		}
		for i := range page.Schedules {
			if err := do(page.Schedules[i].ID); err != nil {
				return err
			}
		}
		next := page.Schedules[len(page.Schedules)-1].ID
		if next <= last {
			return nil // the server does not page
		}
		last = next
	}
}
