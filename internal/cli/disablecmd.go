package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// disableRow is the row of the command disable.
func disableRow() command {
	return command{
		name: "disable", section: sectionSchedule, remote: true,
		lines: []line{{"disable <schedule-id> | <project-name> [name]", "stop schedules"}},
		usage: []string{"disable <schedule-id> | <project-name> [name]"},
		min:   1, max: 2,
		run: remote(runDisable),
	}
}

// runDisable stops schedules (server 1.10.15).
func runDisable(ctx context.Context, c *call, server *client.Client) error {
	return eachSchedule(ctx, c, server, func(id api.ID) error {
		done, err := server.DisableSchedule(ctx, id)
		if err != nil {
			return err
		}
		terminal.Say(c.env.Stdout, "Disabled schedule id: %s\n", done.ID)
		return nil
	})
}

// enableRow is the row of the command enable.
func enableRow() command {
	return command{
		name: "enable", section: sectionSchedule, remote: true,
		lines: []line{{"enable <schedule-id> | <project-name> [name]", "let schedules go on"}},
		usage: []string{"enable <schedule-id> | <project-name> [name]"},
		min:   1, max: 2,
		run: remote(runEnable),
	}
}

// runEnable lets schedules go on (server 1.10.15).
func runEnable(ctx context.Context, c *call, server *client.Client) error {
	return eachSchedule(ctx, c, server, func(id api.ID) error {
		done, err := server.EnableSchedule(ctx, id)
		if err != nil {
			return err
		}
		terminal.Say(c.env.Stdout, "Enabled schedule id: %s\n", done.ID)
		return nil
	})
}

// eachSchedule does something with the schedule that the arguments name by id or by project and
// workflow, or with all of a project.
func eachSchedule(ctx context.Context, c *call, server *client.Client, do func(api.ID) error) error {
	if len(c.args.positional) == 2 || allDigits(c.args.positional[0]) {
		id, err := scheduleOfArguments(ctx, c, server)
		if err != nil {
			return err
		}
		return do(id)
	}
	project, err := findProject(ctx, server, c.args.positional[0])
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
			return nil // a server that does not page
		}
		last = next
	}
}
