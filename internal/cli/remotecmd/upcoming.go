package remotecmd

import (
	"context"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Upcoming returns the row of the command upcoming.
func Upcoming() cmd.Command {
	return cmd.Command{
		Name: "upcoming", Section: cmd.SectionSchedule, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "upcoming [project-name] [name]", Text: "show the sessions that schedules will start"}},
		Max:   2,
		Options: []cmd.Option{
			cmd.TextOption("DURATION", "how far ahead, as in 12h or 7d", "--for").Or("2h"),
			jsonOption,
		},
		Run: remote(runUpcoming),
	}
}

// runUpcoming shows the sessions of the time to come, the earliest first.
func runUpcoming(ctx context.Context, c *cmd.Call, server *client.Client) error {
	text := c.Args.Text("--for")
	length, err := param.ParseDuration(text)
	if err != nil || length <= 0 {
		return c.UsageError("--for makes no sense: " + strconv.Quote(text)).Hinting("write a length of time, as in 12h or 7d")
	}
	list, err := server.ListUpcoming(ctx, c.Env.Now().Add(length), positional(c, 0), positional(c, 1), client.Cursor{})
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, list)
	}
	for i := range list.Items {
		u := &list.Items[i]
		usual := ""
		if u.ExpectedMS != nil {
			usual = "  usually " + lengthText(*u.ExpectedMS)
		}
		terminal.Say(c.Env.Stdout, "%s  %s/%s  session %s%s\n", localText(c, &u.RunTime), u.Project.Name, u.Workflow, u.SessionTime.Format(time.RFC3339), usual)
	}
	more := ""
	if list.Next != nil {
		more = " There are more."
	}
	terminal.Say(c.Env.Stdout, "%s.%s\n", textutil.Count(len(list.Items), "session", "sessions"), more)
	return nil
}
