package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// projectsRow is the row of the command project.
func projectsRow() command {
	return command{
		name: "project", aliases: []string{"projects"}, section: sectionProject, remote: true,
		lines: []line{{"projects [name]", "show projects"}},
		usage: []string{"projects [name]"},
		max:   1,
		options: []option{
			textOption("ID", "show what comes after this id", "--last-id"),
			intOption("N", "show at most N", "--count").or("100"),
			textOption("PATTERN", "show those whose name contains this", "--name"),
			jsonOption,
		},
		run: remote(runProjects),
	}
}

// runProjects lists projects, or shows one (server 1.10.5).
func runProjects(ctx context.Context, c *call, server *client.Client) error {
	projects, err := findProjects(ctx, c, server)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, projects)
	}
	if view := newListView(c); view != nil {
		more := ""
		if n := len(projects.Projects); n > 0 && len(c.args.positional) == 0 && n == c.args.number("--count") {
			more = fmt.Sprintf("More: `%s`", c.hinted("projects --last-id "+projects.Projects[n-1].ID.String()))
		}
		none := "There are no projects. Use `" + c.hinted("push") + "` to send one."
		if name := c.args.text("--name"); name != "" {
			none = fmt.Sprintf("There is no project whose name contains %q.", name)
		}
		view.show(projectTable(view, projects.Projects), none, more, view.timesHint())
		return nil
	}
	terminal.Say(c.env.Stdout, "Projects\n")
	for i := range projects.Projects {
		p := &projects.Projects[i]
		terminal.Say(c.env.Stdout, "  name: %s\n  id: %s\n  revision: %s\n  archive type: %s\n  project created at: %s\n  revision updated at: %s\n\n",
			p.Name, p.ID, p.Revision, p.ArchiveType, localTime(c, p.CreatedAt), localTime(c, p.UpdatedAt))
	}
	terminal.Say(c.env.Stderr, "Use `%s` to show details.\n", c.hintedToPeople("workflows <project-name>"))
	return nil
}

func findProjects(ctx context.Context, c *call, server *client.Client) (*api.ProjectCollection, error) {
	if len(c.args.positional) > 0 {
		name := c.args.positional[0]
		project, err := findProject(ctx, server, name)
		if notFound(err) {
			text := fmt.Sprintf("Project '%s' does not exist.", name) // Digdag's, server 1.10.5
			if near, ok := errors.AsType[*nearMissError](err); ok {
				text += "\n" + didYouMean(near.near)
			}
			if project := tokenScope(err); project != "" {
				text += "\nthe token is for the project " + terminal.Clean(project) + " alone"
			}
			return nil, &complaint{text: text}
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
	return server.ListProjects(ctx, client.ProjectQuery{LastID: last, Count: optionNumber(c, "--count"), Name: c.args.text("--name")})
}
