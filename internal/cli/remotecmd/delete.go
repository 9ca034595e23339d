package remotecmd

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Delete returns the row of the command delete.
func Delete() cmd.Command {
	return cmd.Command{
		Name: "delete", Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "delete <project>", Text: "delete a project"}},
		Min:   1, Max: 1,
		Options: []cmd.Option{
			cmd.FlagOption("do not ask", "--force"),
		},
		Run: remote(runDelete),
	}
}

// runDelete deletes a project after the user has confirmed it (server 1.10.18).
func runDelete(ctx context.Context, c *cmd.Call, server *client.Client) error {
	project, err := findProject(ctx, server, c.Args.Positional[0])
	if err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "Project:\n  id: %s\n  name: %s\n  latest revision: %s\n  created at: %s\n  last updated at: %s\n",
		project.ID, project.Name, project.Revision, localTime(c, project.CreatedAt), localTime(c, project.UpdatedAt))
	if !c.Args.Given("--force") {
		sure, err := confirm(c, "Are you sure you want to delete this project? [y/N]: ")
		if err != nil {
			return err
		}
		if !sure {
			return &cmd.ComplaintError{Text: "canceled."}
		}
	}
	if _, err := server.DeleteProject(ctx, project.ID); err != nil {
		return err
	}
	terminal.Say(c.Env.Stderr, "Project '%s' is deleted.\n", project.Name)
	return nil
}

// confirm asks a question on standard error and reads the answer from standard input. Only y
// and yes count as a yes.
func confirm(c *cmd.Call, question string) (bool, error) {
	terminal.Say(c.Env.Stderr, "%s", question)
	line, err := bufio.NewReader(c.Env.Stdin).ReadString('\n')
	if err != nil && line == "" {
		terminal.Say(c.Env.Stderr, "\n")
		return false, fmt.Errorf("read the answer from standard input: %w; --force does without it", err)
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
