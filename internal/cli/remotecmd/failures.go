package remotecmd

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Failures returns the row of the command failures.
func Failures() cmd.Command {
	return cmd.Command{
		Name: "failures", Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "failures [project-name] [name]", Text: "show what failed in the last day, by cause"}},
		Max:   2,
		Options: []cmd.Option{
			cmd.TextOption("TIME", "show what failed since then, as in 12h, 7d, yesterday, 18:00 or \"yyyy-MM-dd HH:mm:ss\"", "--since"),
			jsonOption,
		},
		Run: remote(runFailures),
	}
}

// positional returns an argument; empty if it is not given.
func positional(c *cmd.Call, i int) string {
	if i < len(c.Args.Positional) {
		return c.Args.Positional[i]
	}
	return ""
}

// runFailures shows failures by cause, the newest last, as people read the end of a long text.
func runFailures(ctx context.Context, c *cmd.Call, server *client.Client) error {
	since, err := sinceOption(c)
	if err != nil {
		return err
	}
	list, err := server.ListFailures(ctx, client.FailureSearch{Project: positional(c, 0), Workflow: positional(c, 1), Since: since}, client.Cursor{})
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, list)
	}
	for i := len(list.Items) - 1; i >= 0; i-- {
		printFailure(c, &list.Items[i])
	}
	more := ""
	if list.Next != nil {
		more = " There are older ones."
	}
	terminal.Say(c.Env.Stdout, "%s.%s\n", textutil.Count(len(list.Items), "cause", "causes"), more)
	return nil
}

func printFailure(c *cmd.Call, f *api.Failure) {
	what := f.Message
	if f.Operator != nil {
		what = *f.Operator + ">: " + what
	}
	var notes []string
	if f.IsNew {
		notes = append(notes, "new")
	}
	if f.Recovered {
		notes = append(notes, "recovered")
	}
	note := ""
	if len(notes) > 0 {
		note = " (" + strings.Join(notes, ", ") + ")"
	}
	s := &f.Sample
	terminal.Say(c.Env.Stdout, "%s%s\n", what, note)
	terminal.Say(c.Env.Stdout, "  %s of %s, from %s to %s\n", textutil.Count(f.Count, "task", "tasks"), textutil.Count(f.AttemptCount, "attempt", "attempts"),
		localText(c, &f.First), localText(c, &f.Last))
	terminal.Say(c.Env.Stdout, "  attempt %s  %s/%s  %s\n", s.AttemptID, s.Project.Name, s.Workflow, s.TaskName)
	for _, line := range s.LogTail[max(0, len(s.LogTail)-shownLines):] {
		terminal.Say(c.Env.Stdout, "    %s\n", line)
	}
	terminal.Say(c.Env.Stdout, "\n")
}

// shownLines is how many lines of output are shown of a failure.
const shownLines = 3
