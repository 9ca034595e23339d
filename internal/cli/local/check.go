package local

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/projectdir"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// textNoFindings is shown on a terminal if check has found nothing.
const textNoFindings = "No mistakes found."

// Check returns the row of the command check.
func Check() cmd.Command {
	return cmd.Command{
		Name: "check", Aliases: []string{"c"}, Section: cmd.SectionLocal,
		Lines: []cmd.Line{{Form: "check [workflow.dig]", Text: "check a project and show what is in it"}},
		Usage: []string{"check [workflow.dig] [options...]"},
		Max:   1, Operand: cmd.WorkflowFile,
		Options: cmd.Options([]cmd.Option{
			cmd.ProjectOption,
			cmd.FlagOption("exit with 1 for warnings too", "--strict"),
			cmd.FlagOption("write the findings alone, for programs, to standard output", "--json"),
			cmd.FlagOption("list only what Digdag does not have, and exit with 1 if there is any", "--digdag"),
		}, cmd.ParamOptions),
		Run: runCheck,
	}
}

// runCheck validates a local project and shows what is in it (server 1.9.3). It prints each block
// before it computes the next one, so that blocks before an error are shown.
func runCheck(ctx context.Context, c *cmd.Call) error {
	settings, err := c.Config()
	if err != nil {
		return err
	}
	dir := c.Env.Path(c.Args.Text("--project"))
	params, err := projectParameters(c, settings, dir)
	if err != nil {
		return err
	}
	if !c.Args.Given("--json") {
		terminal.Say(c.Env.Stdout, "  System default timezone: %s\n\n", c.Env.ZoneName())
	}
	if _, err := projectdir.Dir(c); err != nil {
		return err
	}
	var names []string
	for _, argument := range c.Args.Positional {
		name, err := workflowOfArgument(c, dir, argument)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	project, err := dig.Load(dir)
	if err != nil {
		return projectdir.Refuse(c, dir, err)
	}
	warnOfMissing(c, project, names)
	switch {
	case c.Args.Given("--digdag"):
		return showAdditions(c, project)
	case c.Args.Given("--json"):
		return projectdir.FindingsJSON(c, projectdir.Findings(dir))
	}
	if err := showDefinitions(c, project); err != nil {
		return projectdir.Refuse(c, dir, err)
	}
	terminal.Say(c.Env.Stdout, "  Parameters:\n%s\n", param.IndentedYAML(params, 4))
	if err := showSchedules(ctx, c, project); err != nil {
		return projectdir.Refuse(c, dir, err)
	}
	findings := projectdir.Findings(dir)
	if len(findings) == 0 && c.Env.Terminals.Stdout { // Digdag prints nothing more
		terminal.Say(c.Env.Stdout, "%s\n", textNoFindings)
	}
	projectdir.ShowFindings(c, findings)
	sayRefused(c, findings)
	return projectdir.FailStrictly(c, findings)
}

// warnOfMissing warns on a terminal that there is no workflow with the given name. Digdag's check accepts any name
// and always shows the whole project, so a mistyped name looks as if it had been checked.
func warnOfMissing(c *cmd.Call, project *dig.Project, names []string) {
	for _, name := range names {
		isName := func(w *dig.Workflow) bool { return w.Name == name }
		if c.Env.Terminals.Stderr && len(project.Workflows) > 0 && !slices.ContainsFunc(project.Workflows, isName) {
			terminal.Say(c.Env.Stderr, "warning: the project has no workflow %s; check looks at the whole project\n%s\n\n", name, workflowsOf(project))
		}
	}
}

// sayRefused says on a terminal that other commands refuse a project with errors that Digdag's check ignores.
func sayRefused(c *cmd.Call, findings []dig.Finding) {
	if projectdir.HasErrors(findings) && c.Env.Terminals.Stderr {
		terminal.Say(c.Env.Stderr, "\nerror: run may pass over what is wrong here, but push refuses it\n")
	}
}

// showAdditions lists what the project uses that Digdag does not have (control K121).
func showAdditions(c *cmd.Call, project *dig.Project) error {
	if _, err := project.Compile(); err != nil {
		return projectdir.Refuse(c, project.Dir, err)
	}
	additions := dig.Additions(project.Dir)
	if c.Args.Given("--json") {
		if err := projectdir.FindingsJSON(c, additions); err != nil || len(additions) == 0 {
			return err
		}
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	if len(additions) == 0 {
		terminal.Say(c.Env.Stdout, "  Digdag runs this project as well.\n")
		return nil
	}
	dig.Render(c.Env.Stdout, additions, c.Env.Colour())
	return &cmd.ExitError{Code: cmd.ExitFailure}
}

// projectParameters returns the parameters of the command line, and the path of the project if it is elsewhere.
func projectParameters(c *cmd.Call, settings config.Settings, dir string) (*param.Map, error) {
	params, err := cmd.ReadParameters(c, settings, c.Env.ReadParams)
	if err != nil || dir == c.Env.Dir {
		return params, err
	}
	params = params.Clone()
	params.Set("_project_path", dir) // language L65
	return params, nil
}

func showDefinitions(c *cmd.Call, project *dig.Project) error {
	var text strings.Builder
	fmt.Fprintf(&text, "  Definitions (%d workflows):\n", len(project.Workflows))
	for _, w := range project.Workflows {
		tasks, err := w.Compile()
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "    %s (%d tasks)\n", w.Name, len(tasks))
		for _, name := range required(tasks) {
			fmt.Fprintf(&text, "      -> %s\n", name)
		}
	}
	terminal.Say(c.Env.Stdout, "%s\n", text.String())
	return nil
}

// required lists the workflows that tasks require, each once.
func required(tasks []dig.Task) []string {
	var names []string
	for i := range tasks {
		value, _ := tasks[i].Local.Get("require>")
		if name, ok := param.AsString(value); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func showSchedules(ctx context.Context, c *cmd.Call, project *dig.Project) error {
	scheduled := slices.DeleteFunc(slices.Clone(project.Workflows), func(w *dig.Workflow) bool { return w.Schedule.Len() == 0 })
	log, err := checkLog(c)
	if err != nil {
		return err
	}
	now := c.Env.Now()
	var text strings.Builder
	fmt.Fprintf(&text, "  Schedules (%d entries):\n", len(scheduled))
	for _, w := range scheduled {
		plan, err := schedule.ParseOptional(w.Schedule, w.Zone)
		if err != nil {
			return err
		}
		for _, line := range plan.Unused() {
			logging.Print(ctx, log, slog.LevelError, strings.TrimRight(line, "\n"))
		}
		first := plan.First(now)
		fmt.Fprintf(&text, "    %s:\n%s", w.Name, param.IndentedYAML(w.Schedule, 6))
		fmt.Fprintf(&text, "      first session time: %s\n", first.Session.In(now.Location()).Format(cmd.ClockFormat))
		fmt.Fprintf(&text, "      first scheduled to run at: %s (%s)\n", first.Run.In(now.Location()).Format(cmd.ClockFormat), textutil.Distance(first.Run.Sub(now)))
	}
	terminal.Say(c.Env.Stdout, "%s\n", text.String())
	return nil
}

// checkLog returns the log of check, which has few entries. It goes to standard output unless --log says
// otherwise.
func checkLog(c *cmd.Call) (*slog.Logger, error) {
	format, err := c.OpenLog(c.Env.Stdout, "trowel.check")
	if err != nil {
		return nil, err
	}
	return slog.New(format), nil
}
