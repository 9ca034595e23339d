package cli

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// textBackfillFrom is Digdag's text about a bad --from (server 1.10.17).
const textBackfillFrom = "--from must be \"yyyy-MM-dd\", or \"yyyy-MM-dd HH:mm:SS\" format: %s"

// backfillRow is the row of the command backfill.
func backfillRow() command {
	return command{
		name: "backfill", section: sectionSchedule, remote: true,
		lines: []line{{"backfill <schedule-id> | <project-name> <name>", "start sessions of the past"}},
		usage: []string{"backfill <schedule-id> | <project-name> <name>"},
		min:   1, max: 2,
		options: []option{
			textOption("TIME", "first session: \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "-f", "--from"),
			textOption("NAME", "name of the attempts; default: a random one", "--name"),
			intOption("N", "start this many; default: up to now", "--count"),
			flagOption("show what would be started", "-d", "--dry-run"),
			jsonOption,
		},
		run: runBackfill,
	}
}

// runBackfill starts sessions of the past (server 1.10.17).
func runBackfill(ctx context.Context, c *call) error {
	if len(c.args.positional) == 1 && !allDigits(c.args.positional[0]) {
		return c.usage("").hinting("a schedule is named by its id, or by project and workflow")
	}
	if !c.args.given("--from") {
		return &complaint{text: "--from option is required"}
	}
	clock, ok := parseClock(c.args.text("--from"))
	if !ok {
		return clockError("--from", c.args.text("--from"), fmt.Sprintf(textBackfillFrom, c.args.text("--from")))
	}
	warnOfDay(c, "--from")
	request := api.ScheduleBackfillRequest{
		AttemptName: c.args.text("--name"),
		Count:       optionNumber(c, "--count"),
		DryRun:      c.args.given("--dry-run"),
	}
	if !c.args.given("--name") {
		request.AttemptName = uuid.NewString()
	}
	backfill := func(ctx context.Context, c *call, server *client.Client) error {
		schedule, err := backfilled(ctx, c, server)
		if err != nil {
			return err
		}
		from, err := server.WorkflowSessionTime(ctx, schedule.Workflow.ID, isoLocal(clock), client.CutNothing)
		if err != nil {
			return err
		}
		request.FromTime = api.Instant{Time: from.SessionTime.Time}
		started, err := server.BackfillSchedule(ctx, schedule.ID, request)
		if err != nil {
			return err
		}
		return showBackfill(c, started, request.DryRun)
	}
	return remote(backfill)(ctx, c)
}

// backfilled is the schedule that the arguments name.
func backfilled(ctx context.Context, c *call, server *client.Client) (*api.Schedule, error) {
	if len(c.args.positional) == 1 {
		id, err := firstID(c)
		if err != nil {
			return nil, err
		}
		return server.ScheduleByID(ctx, id)
	}
	return findSchedule(ctx, server, c.args.positional[0], c.args.positional[1])
}

func showBackfill(c *call, started *api.ScheduleAttemptCollection, dryRun bool) error {
	if c.args.given("--json") {
		return printJSON(c, started)
	}
	if view := newListView(c); view != nil {
		did := "is started"
		if dryRun {
			did = "would be started"
		}
		hint := fmt.Sprintf("%s: each %s when the one before has ended.", textutil.Plural(len(started.Attempts), "session"), did)
		view.show(backfillTable(view, started.Attempts, dryRun), "No session attempts started.", hint, view.timesHint())
		return nil
	}
	terminal.Say(c.env.Stdout, "Session attempts:\n")
	for i := range started.Attempts {
		a := &started.Attempts[i]
		terminal.Say(c.env.Stdout, "  id: %s\n  uuid: %s\n  project: %s\n  workflow: %s\n  session time: %s\n",
			a.ID, a.SessionUUID, a.Project.Name, a.Workflow.Name, sessionTime(a.SessionTime))
		terminal.Say(c.env.Stdout, "  retry attempt name: %s\n  params: %s\n  created at: %s\n\n",
			optText(a.RetryAttemptName), paramsText(a.Params), localTime(c, a.CreatedAt))
	}
	if dryRun || len(started.Attempts) == 0 {
		terminal.Say(c.env.Stderr, "No session attempts started.\n")
		return nil
	}
	terminal.Say(c.env.Stderr, "Backfill session attempts started.\nUse `%s` to show the session attempts.\n", c.hintedToPeople("sessions"))
	return nil
}
