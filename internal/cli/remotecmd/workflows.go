package remotecmd

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// What can be typed to see all workflows, or one.
const (
	formWorkflows = "workflows [project-name] [name]"
	formWorkflow  = "workflows <project-name> <name>"
)

// Workflows returns the row of the command workflow.
func Workflows() cmd.Command {
	return cmd.Command{
		Name: "workflow", Aliases: []string{"workflows"}, Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: formWorkflows, Text: "show workflows, or the text of one"}},
		Max:   2,
		Options: []cmd.Option{
			afterOption,
			countOption,
			cmd.TextOption("ORDER", "asc or desc", "--order").Or("asc").Offering(cmd.OneOf("asc", "desc")).Checked(ascOrDesc),
			patternOption,
			jsonOption,
		},
		Run: remote(runWorkflows),
	}
}

// runWorkflows lists workflows, or shows the text of one (server 1.10.6).
func runWorkflows(ctx context.Context, c *cmd.Call, server *client.Client) error {
	if len(c.Args.Positional) == 2 {
		return showWorkflow(ctx, c, server)
	}
	workflows, err := findWorkflows(ctx, c, server)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, workflows)
	}
	if view := newListView(c); view != nil {
		more := ""
		if n := len(workflows.Workflows); n > 0 && len(c.Args.Positional) == 0 && n == c.Args.Number("--count") {
			more = fmt.Sprintf("More: `%s`", c.Hinted("workflows --last-id "+workflows.Workflows[n-1].ID.String()))
		}
		none := "There are no workflows. Use `" + c.Hinted("push") + "` to send a project."
		view.show(workflowTable(workflows.Workflows), none, more, "`"+c.Hinted(formWorkflow)+"` shows the text of one.")
		return nil
	}
	last := ""
	for i := range workflows.Workflows {
		w := &workflows.Workflows[i]
		if i == 0 || w.Project.Name != last {
			terminal.Say(c.Env.Stdout, "  %s\n", w.Project.Name)
			last = w.Project.Name
		}
		terminal.Say(c.Env.Stdout, "    %s\n", w.Name)
	}
	terminal.Say(c.Env.Stdout, "\n")
	terminal.Say(c.Env.Stderr, "Use `%s` to show details.\n", c.HintedToPeople(formWorkflow))
	return nil
}

func findWorkflows(ctx context.Context, c *cmd.Call, server *client.Client) (*api.WorkflowCollection, error) {
	if len(c.Args.Positional) == 1 {
		project, err := findProject(ctx, server, c.Args.Positional[0])
		if err != nil {
			return nil, err
		}
		return server.ListProjectWorkflows(ctx, project.ID, "")
	}
	last, err := lastID(c)
	if err != nil {
		return nil, err
	}
	return server.ListWorkflows(ctx, client.WorkflowQuery{
		LastID:     last,
		Count:      optionNumber(c, "--count"),
		Descending: c.Args.Text("--order") == "desc",
		Name:       c.Args.Text("--name"),
	})
}

// showWorkflow writes the workflow as YAML.
func showWorkflow(ctx context.Context, c *cmd.Call, server *client.Client) error {
	workflow, err := findWorkflow(ctx, server, c.Args.Positional[0], c.Args.Positional[1], "")
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, workflow)
	}
	terminal.Say(c.Env.Stdout, "%s\n", param.AppendYAML(nil, workflow.Config, 0))
	return nil
}
