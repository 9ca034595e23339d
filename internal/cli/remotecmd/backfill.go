package remotecmd

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// textBackfillFrom is Digdag's text about a bad --from (server 1.10.17).
const textBackfillFrom = "--from must be \"yyyy-MM-dd\", or \"yyyy-MM-dd HH:mm:SS\" format: %s"

// Backfill returns the row of the command backfill.
func Backfill() cmd.Command {
	return cmd.Command{
		Name: "backfill", Section: cmd.SectionSchedule, Remote: true,
		Lines: []cmd.Line{{Form: "backfill <schedule-id> | <project-name> <name>", Text: "start sessions of the past"}},
		Min:   1, Max: 2,
		Options: []cmd.Option{
			cmd.TextOption("TIME", "first session: \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "-f", "--from"),
			cmd.TextOption("NAME", "name of the attempts; default: a random one", "--name"),
			cmd.IntOption("N", "start this many; default: up to now", "--count"),
			cmd.FlagOption("show what would be started", "-d", "--dry-run"),
			jsonOption,
		},
		Run: runBackfill,
	}
}

// runBackfill starts past sessions (server 1.10.17).
func runBackfill(ctx context.Context, c *cmd.Call) error {
	if wrong := wrongScheduleName(c); wrong != nil {
		return wrong
	}
	if !c.Args.Given("--from") {
		return &cmd.ComplaintError{Text: "--from option is required"}
	}
	clock, ok := cmd.ParseClock(c.Args.Text("--from"))
	if !ok {
		return cmd.ClockError("--from", c.Args.Text("--from"), fmt.Sprintf(textBackfillFrom, c.Args.Text("--from")))
	}
	cmd.WarnOfDay(c, "--from")
	request := api.ScheduleBackfillRequest{
		AttemptName: c.Args.Text("--name"),
		Count:       optionNumber(c, "--count"),
		DryRun:      c.Args.Given("--dry-run"),
	}
	if !c.Args.Given("--name") {
		request.AttemptName = uuid.NewString()
	}
	backfill := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
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

// backfilled returns the schedule that the arguments name.
func backfilled(ctx context.Context, c *cmd.Call, server *client.Client) (*api.Schedule, error) {
	if len(c.Args.Positional) == 1 {
		id, err := firstID(c)
		if err != nil {
			return nil, err
		}
		return server.ScheduleByID(ctx, id)
	}
	return findSchedule(ctx, server, c.Args.Positional[0], c.Args.Positional[1])
}

func showBackfill(c *cmd.Call, started *api.ScheduleAttemptCollection, dryRun bool) error {
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, started)
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
	terminal.Say(c.Env.Stdout, "Session attempts:\n")
	for i := range started.Attempts {
		a := &started.Attempts[i]
		terminal.Say(c.Env.Stdout, "  id: %s\n  uuid: %s\n"+recordPlace,
			a.ID, a.SessionUUID, a.Project.Name, a.Workflow.Name, sessionTime(a.SessionTime))
		terminal.Say(c.Env.Stdout, recordName+"\n",
			optText(a.RetryAttemptName), paramsText(a.Params), localTime(c, a.CreatedAt))
	}
	if dryRun || len(started.Attempts) == 0 {
		terminal.Say(c.Env.Stderr, "No session attempts started.\n")
		return nil
	}
	terminal.Say(c.Env.Stderr, "Backfill session attempts started.\nUse `%s` to show the session attempts.\n", c.HintedToPeople("sessions"))
	return nil
}
