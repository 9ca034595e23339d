package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Reschedule returns the row of the command reschedule.
func Reschedule() cmd.Command {
	return cmd.Command{
		Name: "reschedule", Section: cmd.SectionSchedule, Remote: true,
		Lines: []cmd.Line{{Form: "reschedule <schedule-id> | <project-name> <name>", Text: "skip sessions of a schedule"}},
		Min:   1, Max: 2,
		Options: []cmd.Option{
			cmd.IntOption("N", "skip this many, counted from now", "-s", "--skip").Or("0"),
			cmd.TextOption("TIME", "skip up to then: \"yyyy-MM-dd HH:mm:ss Z\", UNIX seconds or now", "-t", "--skip-to").
				Offering(cmd.OneOf("now")),
			cmd.TextOption("TIME", "run the next one then: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds", "-a", "--run-at"),
			cmd.FlagOption("show what would be changed", "-d", "--dry-run"),
			jsonOption,
		},
		Run: runReschedule,
	}
}

// runReschedule moves a schedule on (server 1.10.16).
func runReschedule(ctx context.Context, c *cmd.Call) error {
	if wrong := wrongScheduleName(c); wrong != nil {
		return wrong
	}
	request, err := skipRequest(c)
	if err != nil {
		return err
	}
	skip := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		id, err := scheduleOfArguments(ctx, c, server)
		if err != nil {
			return err
		}
		summary, err := server.SkipSchedule(ctx, id, request)
		if err != nil {
			return err
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, summary)
		}
		terminal.Say(c.Env.Stdout, "  id: %s\n", summary.ID)
		printTimes(c, summary.Workflow.Name, summary.DisabledAt, summary.NextScheduleTime, summary.NextRunTime)
		if request.DryRun {
			terminal.Say(c.Env.Stderr, "Schedule is not updated.\n")
		} else {
			terminal.Say(c.Env.Stderr, "Use `%s` to show schedules.\n", c.HintedToPeople("schedules"))
		}
		return nil
	}
	return remote(skip)(ctx, c)
}

// skipRequest reads --skip, --skip-to and --run-at. --skip counts sessions from now, not from the
// next session.
func skipRequest(c *cmd.Call) (api.ScheduleSkipRequest, error) {
	request := api.ScheduleSkipRequest{DryRun: c.Args.Given("--dry-run")}
	count, to := c.Args.Number("--skip"), c.Args.Text("--skip-to")
	now := c.Env.Now()
	switch {
	case count != 0 && to != "":
		return request, &cmd.ComplaintError{Text: "-s and -t can't be set together"}
	case count == 0 && to == "":
		return request, c.UsageError("-s or -t is required")
	case to == "now":
		request.NextTime = &api.LocalOrInstant{Time: now}
	case to != "":
		at, err := instantOption(c, "--skip-to", "-t, --skip-to")
		if err != nil {
			return request, err
		}
		request.NextTime = &api.LocalOrInstant{Time: at}
	default:
		request.Count, request.FromTime = &count, &api.Instant{Time: now}
	}
	if c.Args.Given("--run-at") {
		at, err := instantOption(c, "--run-at", "-a, --run-at")
		if err != nil {
			return request, err
		}
		request.NextRunTime = &api.Instant{Time: at}
	}
	return request, nil
}
