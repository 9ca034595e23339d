package remotecmd

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Search returns the row of the command search.
func Search() cmd.Command {
	return cmd.Command{
		Name: "search", Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "search <word...>", Text: "find things by parts of their names, by id, or sessions by time"}},
		Usage: []string{
			"search load                      everything whose name has this part",
			"search daily 2026-01-02          sessions of a workflow by their time",
			"search 812                       the attempt, session or task of an id",
		},
		Min: 1, Max: 6,
		Options: []cmd.Option{
			cmd.TextOption("KINDS", "only these, with commas between them: project, workflow, session, attempt, task, pool, agent, revision", "--kinds"),
			jsonOption,
		},
		Run: remote(runSearch),
	}
}

// runSearch shows what people may mean by some words, the kinds one after the other.
func runSearch(ctx context.Context, c *cmd.Call, server *client.Client) error {
	found, err := server.SearchEverything(ctx, strings.Join(c.Args.Positional, " "), c.Args.Text("--kinds"))
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, found)
	}
	count := 0
	for i := range found.Groups {
		for j := range found.Groups[i].Items {
			item := &found.Groups[i].Items[j]
			terminal.Say(c.Env.Stdout, "%s: %s (%s)\n", found.Groups[i].Kind, item.Title, item.Detail)
			count++
		}
	}
	terminal.Say(c.Env.Stdout, "%s found.\n", textutil.Count(count, "thing", "things"))
	return nil
}
