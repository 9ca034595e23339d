package remotecmd

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Late returns the row of the command late.
func Late() cmd.Command {
	return cmd.Command{
		Name: "late", Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines:   []cmd.Line{{Form: "late", Text: "show sessions that should have started, and attempts that run longer than usual"}},
		Options: []cmd.Option{jsonOption},
		Run:     remote(runLate),
	}
}

// runLate shows what is late, the latest first.
func runLate(ctx context.Context, c *cmd.Call, server *client.Client) error {
	list, err := server.ListLate(ctx)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, list)
	}
	for i := range list.Items {
		l := &list.Items[i]
		attempt := ""
		if l.AttemptID != nil {
			attempt = "  attempt " + l.AttemptID.String()
		}
		session := ""
		if l.SessionTime != nil {
			session = "  session " + l.SessionTime.Format(time.RFC3339)
		}
		terminal.Say(c.Env.Stdout, "%s late  %s/%s%s%s: %s\n", lengthText(-l.MarginMS), l.Project.Name, l.Workflow, session, attempt, l.Reason)
	}
	terminal.Say(c.Env.Stdout, "%s late.\n", textutil.Count(len(list.Items), "thing is", "things are"))
	return nil
}
