package cli

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// workflowsRow is the row of the command workflow.
func workflowsRow() command {
	return command{
		name: "workflow", aliases: []string{"workflows"}, section: sectionProject, remote: true,
		lines: []line{{"workflows [project-name] [name]", "show workflows, or the text of one"}},
		usage: []string{"workflows [project-name] [name]"},
		max:   2,
		options: []option{
			textOption("ID", "show what comes after this id", "--last-id"),
			intOption("N", "show at most N", "--count").or("100"),
			textOption("ORDER", "asc or desc", "--order").or("asc").offering(oneOf("asc", "desc")).checked(ascOrDesc),
			textOption("PATTERN", "show those whose name contains this", "--name"),
			jsonOption,
		},
		run: remote(runWorkflows),
	}
}

// runWorkflows lists workflows, or shows the text of one (server 1.10.6).
func runWorkflows(ctx context.Context, c *call, server *client.Client) error {
	if len(c.args.positional) == 2 {
		return showWorkflow(ctx, c, server)
	}
	workflows, err := findWorkflows(ctx, c, server)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, workflows)
	}
	if view := newListView(c); view != nil {
		more := ""
		if n := len(workflows.Workflows); n > 0 && len(c.args.positional) == 0 && n == c.args.number("--count") {
			more = fmt.Sprintf("More: `%s`", c.hinted("workflows --last-id "+workflows.Workflows[n-1].ID.String()))
		}
		none := "There are no workflows. Use `" + c.hinted("push") + "` to send a project."
		view.show(workflowTable(workflows.Workflows), none, more, "`"+c.hinted("workflows <project-name> <name>")+"` shows the text of one.")
		return nil
	}
	last := ""
	for i := range workflows.Workflows {
		w := &workflows.Workflows[i]
		if i == 0 || w.Project.Name != last {
			terminal.Say(c.env.Stdout, "  %s\n", w.Project.Name)
			last = w.Project.Name
		}
		terminal.Say(c.env.Stdout, "    %s\n", w.Name)
	}
	terminal.Say(c.env.Stdout, "\n")
	terminal.Say(c.env.Stderr, "Use `%s` to show details.\n", c.hintedToPeople("workflows <project-name> <name>"))
	return nil
}

func findWorkflows(ctx context.Context, c *call, server *client.Client) (*api.WorkflowCollection, error) {
	if len(c.args.positional) == 1 {
		project, err := findProject(ctx, server, c.args.positional[0])
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
		Descending: c.args.text("--order") == "desc",
		Name:       c.args.text("--name"),
	})
}

// showWorkflow writes the workflow as YAML.
func showWorkflow(ctx context.Context, c *call, server *client.Client) error {
	workflow, err := findWorkflow(ctx, server, c.args.positional[0], c.args.positional[1], "")
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, workflow)
	}
	terminal.Say(c.env.Stdout, "%s\n", param.AppendYAML(nil, workflow.Config, 0))
	return nil
}
