package cli

import (
	"context"
	"fmt"
	"github.com/trowel-project/trowel/internal/config"
	"log/slog"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// textNoFindings is what people on a terminal read where check has found nothing.
const textNoFindings = "No mistakes found."

// checkRow is the row of the command check.
func checkRow() command {
	return command{
		name: "check", aliases: []string{"c"}, section: sectionLocal,
		lines: []line{{"check [workflow.dig]", "check a project and show what is in it"}},
		usage: []string{"check [workflow.dig] [options...]"},
		max:   1, operand: workflowFile,
		options: options([]option{
			projectOption,
			flagOption("exit with 1 for warnings too", "--strict"),
			flagOption("write the findings alone, for programs, to standard output", "--json"),
			flagOption("list only what Digdag does not have, and exit with 1 if there is any", "--digdag"),
		}, paramOptions),
		run: runCheck,
	}
}

// runCheck validates a local project and shows what is in it (server 1.9.3). Each block is printed
// before the next one is computed, so that what precedes an error is there.
func runCheck(ctx context.Context, c *call) error {
	settings, err := c.config()
	if err != nil {
		return err
	}
	dir := c.env.path(c.args.text("--project"))
	params, err := projectParameters(c, settings, dir)
	if err != nil {
		return err
	}
	if !c.args.given("--json") {
		terminal.Say(c.env.Stdout, "  System default timezone: %s\n\n", c.env.zoneName())
	}
	if _, err := projectDir(c); err != nil {
		return err
	}
	var names []string
	for _, argument := range c.args.positional {
		name, err := workflowOfArgument(c, dir, argument)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	project, err := dig.Load(dir)
	if err != nil {
		return refuseProject(c, dir, err)
	}
	warnOfMissing(c, project, names)
	switch {
	case c.args.given("--digdag"):
		return showAdditions(c, project)
	case c.args.given("--json"):
		return findingsJSON(c, findingsOfFolder(dir))
	}
	if err := showDefinitions(c, project); err != nil {
		return refuseProject(c, dir, err)
	}
	terminal.Say(c.env.Stdout, "  Parameters:\n%s\n", indented(params, 4))
	if err := showSchedules(ctx, c, project); err != nil {
		return refuseProject(c, dir, err)
	}
	findings := findingsOfFolder(dir)
	if len(findings) == 0 && c.env.Terminals.Stdout { // Digdag says no more
		terminal.Say(c.env.Stdout, "%s\n", textNoFindings)
	}
	showFindings(c, findings)
	sayRefused(c, findings)
	return failStrictly(c, findings)
}

// warnOfMissing says on a terminal that there is no workflow of a name that was given: Digdag's check takes any name
// and always shows the whole project, so that a mistyped one looks as if it had been checked.
func warnOfMissing(c *call, project *dig.Project, names []string) {
	for _, name := range names {
		isName := func(w *dig.Workflow) bool { return w.Name == name }
		if c.env.Terminals.Stderr && len(project.Workflows) > 0 && !slices.ContainsFunc(project.Workflows, isName) {
			terminal.Say(c.env.Stderr, "warning: the project has no workflow %s; check looks at the whole project\n%s\n\n", name, workflowsOf(project))
		}
	}
}

// sayRefused says on a terminal that a project with errors that Digdag's check lets pass is refused by others.
func sayRefused(c *call, findings []dig.Finding) {
	if hasErrors(findings) && c.env.Terminals.Stderr {
		terminal.Say(c.env.Stderr, "\nerror: run may pass over what is wrong here, but push refuses it\n")
	}
}

// showAdditions lists what the project uses that Digdag does not have (control K121).
func showAdditions(c *call, project *dig.Project) error {
	if _, err := project.Compile(); err != nil {
		return refuseProject(c, project.Dir, err)
	}
	additions := dig.Additions(project.Dir)
	if c.args.given("--json") {
		if err := findingsJSON(c, additions); err != nil || len(additions) == 0 {
			return err
		}
		return &exitError{exitFailure}
	}
	if len(additions) == 0 {
		terminal.Say(c.env.Stdout, "  Digdag runs this project as well.\n")
		return nil
	}
	dig.Render(c.env.Stdout, additions, c.env.colour())
	return &exitError{exitFailure}
}

// projectParameters are those of the command line, and the project's path if it is elsewhere.
func projectParameters(c *call, settings config.Settings, dir string) (*param.Map, error) {
	params, err := readParameters(c, settings, c.env.readParams)
	if err != nil || dir == c.env.Dir {
		return params, err
	}
	params = params.Clone()
	params.Set("_project_path", dir) // language L65
	return params, nil
}

func showDefinitions(c *call, project *dig.Project) error {
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
	terminal.Say(c.env.Stdout, "%s\n", text.String())
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

func showSchedules(ctx context.Context, c *call, project *dig.Project) error {
	scheduled := slices.DeleteFunc(slices.Clone(project.Workflows), func(w *dig.Workflow) bool { return w.Schedule.Len() == 0 })
	log, err := checkLog(c)
	if err != nil {
		return err
	}
	now := c.env.Now()
	var text strings.Builder
	fmt.Fprintf(&text, "  Schedules (%d entries):\n", len(scheduled))
	for _, w := range scheduled {
		plan, err := scheduleOf(w.Schedule, w.Zone)
		if err != nil {
			return err
		}
		for _, line := range plan.Unused() {
			logging.Print(ctx, log, slog.LevelError, strings.TrimRight(line, "\n"))
		}
		first := plan.First(now)
		fmt.Fprintf(&text, "    %s:\n%s", w.Name, indented(w.Schedule, 6))
		fmt.Fprintf(&text, "      first session time: %s\n", first.Session.In(now.Location()).Format(clockFormat))
		fmt.Fprintf(&text, "      first scheduled to run at: %s (%s)\n", first.Run.In(now.Location()).Format(clockFormat), distance(first.Run.Sub(now)))
	}
	terminal.Say(c.env.Stdout, "%s\n", text.String())
	return nil
}

// checkLog is the log of check, which has few entries: to standard output unless --log says
// otherwise.
func checkLog(c *call) (*slog.Logger, error) {
	format, err := c.openLog(c.env.Stdout, "trowel.check")
	if err != nil {
		return nil, err
	}
	return slog.New(format), nil
}
