package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// deleteRow is the row of the command delete.
func deleteRow() command {
	return command{
		name: "delete", section: sectionProject, remote: true,
		lines: []line{{"delete <project>", "delete a project"}},
		usage: []string{"delete <project>"},
		min:   1, max: 1,
		options: []option{
			flagOption("do not ask", "--force"),
		},
		run: remote(runDelete),
	}
}

// runDelete deletes a project, if the user is sure (server 1.10.18).
func runDelete(ctx context.Context, c *call, server *client.Client) error {
	project, err := findProject(ctx, server, c.args.positional[0])
	if err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "Project:\n  id: %s\n  name: %s\n  latest revision: %s\n  created at: %s\n  last updated at: %s\n",
		project.ID, project.Name, project.Revision, localTime(c, project.CreatedAt), localTime(c, project.UpdatedAt))
	if !c.args.given("--force") {
		sure, err := confirm(c, "Are you sure you want to delete this project? [y/N]: ")
		if err != nil {
			return err
		}
		if !sure {
			return &complaint{text: "canceled."}
		}
	}
	if _, err := server.DeleteProject(ctx, project.ID); err != nil {
		return err
	}
	terminal.Say(c.env.Stderr, "Project '%s' is deleted.\n", project.Name)
	return nil
}

// confirm asks a question on standard error and reads the answer from standard input. Nothing but y
// and yes is a yes.
func confirm(c *call, question string) (bool, error) {
	terminal.Say(c.env.Stderr, "%s", question)
	line, err := bufio.NewReader(c.env.Stdin).ReadString('\n')
	if err != nil && line == "" {
		terminal.Say(c.env.Stderr, "\n")
		return false, fmt.Errorf("read the answer from standard input: %w; --force does without it", err)
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
