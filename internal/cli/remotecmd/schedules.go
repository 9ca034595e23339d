package remotecmd

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// listedSchedules returns the first page of all schedules, or of a project's, or the one of a workflow.
func listedSchedules(ctx context.Context, c *cmd.Call, server *client.Client) (*api.ScheduleCollection, error) {
	switch names := c.Args.Positional; len(names) {
	case 0:
		return server.ListSchedules(ctx, 0)
	case 1:
		project, err := findProject(ctx, server, names[0])
		if err != nil {
			return nil, err
		}
		return server.ListProjectSchedules(ctx, project.ID, 0)
	default:
		one, err := findSchedule(ctx, server, names[0], names[1])
		if err != nil {
			return nil, err
		}
		return &api.ScheduleCollection{Schedules: api.List[api.Schedule]{*one}}, nil
	}
}

// schedulesPage is how many schedules a page has (server 2.6.5).
const schedulesPage = 100

// Schedules returns the row of the command schedule.
func Schedules() cmd.Command {
	return cmd.Command{
		Name: "schedule", Aliases: []string{"schedules"}, Section: cmd.SectionSchedule, Remote: true,
		Lines: []cmd.Line{{Form: "schedules [project-name] [name]", Text: "show schedules"}},
		Usage: []string{
			"schedules",
			"schedules <project-name> [name]  show those of a project, or of a workflow; on a terminal or with --json",
		},
		Max:     2,
		Options: []cmd.Option{jsonOption},
		Run:     remote(runSchedules),
	}
}

// runSchedules lists the first page of schedules (server 1.10.14).
func runSchedules(ctx context.Context, c *cmd.Call, server *client.Client) error {
	if names := c.Args.Positional; len(names) > 0 && !c.Env.Terminals.Stdout && !c.Args.Given("--json") {
		return c.UsageError("").Hinting("schedules takes no arguments, unless its output is a terminal or --json is given") // as Digdag
	}
	schedules, err := listedSchedules(ctx, c, server)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, schedules)
	}
	if view := newListView(c); view != nil {
		more := ""
		if n := len(schedules.Schedules); n == schedulesPage {
			more = fmt.Sprintf("These are the first %d by id; `%s` shows those of a project.", n, c.Hinted("schedules <project-name>"))
		}
		view.show(scheduleTable(view, schedules.Schedules), "There are no schedules: no workflow of the newest revisions has one.", more, view.timesHint())
		return nil
	}
	terminal.Say(c.Env.Stdout, "Schedules:\n")
	for i := range schedules.Schedules {
		s := &schedules.Schedules[i]
		terminal.Say(c.Env.Stdout, "  id: %s\n  project: %s\n", s.ID, s.Project.Name)
		printTimes(c, s.Workflow.Name, s.DisabledAt, s.NextScheduleTime, s.NextRunTime)
	}
	terminal.Say(c.Env.Stdout, "%d entries.\n", len(schedules.Schedules))
	terminal.Say(c.Env.Stderr, "Use `%s` to show workflow details.\n", c.HintedToPeople(formWorkflows))
	return nil
}

// wrongScheduleName is the complaint about a single argument that is no id of a schedule; nil if there is none.
func wrongScheduleName(c *cmd.Call) *cmd.ComplaintError {
	if len(c.Args.Positional) != 1 || allDigits(c.Args.Positional[0]) {
		return nil
	}
	return c.UsageError("").Hinting("a schedule is named by its id, or by project and workflow")
}

// printTimes prints the times of a schedule.
func printTimes(c *cmd.Call, workflow string, disabled *api.Instant, session api.OffsetTime, next api.Instant) {
	terminal.Say(c.Env.Stdout, "  workflow: %s\n  disabled at: %s\n  next session time: %s\n  next scheduled to run at: %s\n\n",
		workflow, localTimeWithDistance(c, disabled), sessionTime(session), localTimeWithDistance(c, &next))
}

// scheduleOfArguments returns the schedule that the arguments name: by its id, or by project and workflow.
func scheduleOfArguments(ctx context.Context, c *cmd.Call, server *client.Client) (api.ID, error) {
	if len(c.Args.Positional) == 1 {
		return firstID(c)
	}
	found, err := findSchedule(ctx, server, c.Args.Positional[0], c.Args.Positional[1])
	if err != nil {
		return 0, err
	}
	return found.ID, nil
}
