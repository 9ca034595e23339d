package remotecmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Projects returns the row of the command project.
func Projects() cmd.Command {
	return cmd.Command{
		Name: "project", Aliases: []string{"projects"}, Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "projects [name]", Text: "show projects"}},
		Max:   1,
		Options: []cmd.Option{
			afterOption,
			countOption,
			patternOption,
			jsonOption,
		},
		Run: remote(runProjects),
	}
}

// runProjects lists projects, or shows one (server 1.10.5).
func runProjects(ctx context.Context, c *cmd.Call, server *client.Client) error {
	projects, err := findProjects(ctx, c, server)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, projects)
	}
	if view := newListView(c); view != nil {
		more := ""
		if n := len(projects.Projects); n > 0 && len(c.Args.Positional) == 0 && n == c.Args.Number("--count") {
			more = fmt.Sprintf("More: `%s`", c.Hinted("projects --last-id "+projects.Projects[n-1].ID.String()))
		}
		none := "There are no projects. Use `" + c.Hinted("push") + "` to send one."
		if name := c.Args.Text("--name"); name != "" {
			none = fmt.Sprintf("There is no project whose name contains %q.", name)
		}
		view.show(projectTable(view, projects.Projects), none, more, view.timesHint())
		return nil
	}
	terminal.Say(c.Env.Stdout, "Projects\n")
	for i := range projects.Projects {
		p := &projects.Projects[i]
		terminal.Say(c.Env.Stdout, "  name: %s\n  id: %s\n  revision: %s\n  archive type: %s\n  project created at: %s\n  revision updated at: %s\n\n",
			p.Name, p.ID, p.Revision, p.ArchiveType, localTime(c, p.CreatedAt), localTime(c, p.UpdatedAt))
	}
	terminal.Say(c.Env.Stderr, "Use `%s` to show details.\n", c.HintedToPeople("workflows <project-name>"))
	return nil
}

func findProjects(ctx context.Context, c *cmd.Call, server *client.Client) (*api.ProjectCollection, error) {
	if len(c.Args.Positional) > 0 {
		name := c.Args.Positional[0]
		project, err := findProject(ctx, server, name)
		if notFound(err) {
			text := fmt.Sprintf("Project '%s' does not exist.", name) // Digdag's, server 1.10.5
			if near, ok := errors.AsType[*nearMissError](err); ok {
				text += "\n" + cmd.DidYouMean(near.near)
			}
			if project := tokenScope(err); project != "" {
				text += "\nthe token is for the project " + terminal.Clean(project) + " alone"
			}
			return nil, &cmd.ComplaintError{Text: text}
		}
		if err != nil {
			return nil, err
		}
		return &api.ProjectCollection{Projects: []api.Project{*project}}, nil
	}
	last, err := lastID(c)
	if err != nil {
		return nil, err
	}
	return server.ListProjects(ctx, client.ProjectQuery{LastID: last, Count: optionNumber(c, "--count"), Name: c.Args.Text("--name")})
}
