package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// rescheduleRow is the row of the command reschedule.
func rescheduleRow() command {
	return command{
		name: "reschedule", section: sectionSchedule, remote: true,
		lines: []line{{"reschedule <schedule-id> | <project-name> <name>", "skip sessions of a schedule"}},
		usage: []string{"reschedule <schedule-id> | <project-name> <name>"},
		min:   1, max: 2,
		options: []option{
			intOption("N", "skip this many, counted from now", "-s", "--skip").or("0"),
			textOption("TIME", "skip up to then: \"yyyy-MM-dd HH:mm:ss Z\", UNIX seconds or now", "-t", "--skip-to").
				offering(oneOf("now")),
			textOption("TIME", "run the next one then: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds", "-a", "--run-at"),
			flagOption("show what would be changed", "-d", "--dry-run"),
			jsonOption,
		},
		run: runReschedule,
	}
}

// runReschedule moves a schedule on (server 1.10.16).
func runReschedule(ctx context.Context, c *call) error {
	if len(c.args.positional) == 1 && !allDigits(c.args.positional[0]) {
		return c.usage("").hinting("a schedule is named by its id, or by project and workflow")
	}
	request, err := skipRequest(c)
	if err != nil {
		return err
	}
	skip := func(ctx context.Context, c *call, server *client.Client) error {
		id, err := scheduleOfArguments(ctx, c, server)
		if err != nil {
			return err
		}
		summary, err := server.SkipSchedule(ctx, id, request)
		if err != nil {
			return err
		}
		if c.args.given("--json") {
			return printJSON(c, summary)
		}
		terminal.Say(c.env.Stdout, "  id: %s\n", summary.ID)
		printTimes(c, summary.Workflow.Name, summary.DisabledAt, summary.NextScheduleTime, summary.NextRunTime)
		if request.DryRun {
			terminal.Say(c.env.Stderr, "Schedule is not updated.\n")
		} else {
			terminal.Say(c.env.Stderr, "Use `%s` to show schedules.\n", c.hintedToPeople("schedules"))
		}
		return nil
	}
	return remote(skip)(ctx, c)
}

// skipRequest reads --skip, --skip-to and --run-at. Sessions are counted from now, and not from the
// next session.
func skipRequest(c *call) (api.ScheduleSkipRequest, error) {
	request := api.ScheduleSkipRequest{DryRun: c.args.given("--dry-run")}
	count, to := c.args.number("--skip"), c.args.text("--skip-to")
	now := c.env.Now()
	switch {
	case count != 0 && to != "":
		return request, &complaint{text: "-s and -t can't be set together"}
	case count == 0 && to == "":
		return request, c.usage("-s or -t is required")
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
	if c.args.given("--run-at") {
		at, err := instantOption(c, "--run-at", "-a, --run-at")
		if err != nil {
			return request, err
		}
		request.NextRunTime = &api.Instant{Time: at}
	}
	return request, nil
}
