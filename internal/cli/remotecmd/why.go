package remotecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Why returns the row of the command why.
func Why() cmd.Command {
	return cmd.Command{
		Name: "why", Section: cmd.SectionSession, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "why <attempt-id> [+task]", Text: "show why an attempt or a task does not run"}},
		Usage: []string{
			"why <attempt-id>                              why it does not run or end, what its tasks wait for",
			"why <attempt-id> <+task>                      all reasons why a task does not run",
			"why <project> <workflow> --session SESSION    why a session was never created",
		},
		Min: 1, Max: 2,
		Options: []cmd.Option{cmd.TextOption("SESSION", "the session time, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"", "--session"), jsonOption},
		Run:     runWhy,
	}
}

// runWhy shows why an attempt, or a task of it, does not run (control K818).
func runWhy(ctx context.Context, c *cmd.Call) error {
	if c.Args.Given("--session") {
		return whySession(ctx, c)
	}
	id, err := firstID(c)
	if err != nil {
		return err
	}
	return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		defer inLocalTimes(c)()
		if len(c.Args.Positional) < 2 {
			why, err := server.ExplainAttempt(ctx, id, "")
			return showWhy(ctx, c, server, why, err, true)
		}
		name := c.Args.Positional[1]
		if task, err := api.ParseID(name); err == nil {
			why, err := server.ExplainTask(ctx, id, task)
			if err != nil {
				return err
			}
			if c.Args.Given("--json") {
				return cmd.PrintJSON(c, why)
			}
			printWhy(c, why, outputBehind(ctx, server, why))
			return nil
		}
		why, err := server.ExplainAttempt(ctx, id, name)
		return showWhy(ctx, c, server, why, err, false)
	})(ctx, c)
}

// whySession shows why a session of a workflow has no attempt.
func whySession(ctx context.Context, c *cmd.Call) error {
	if len(c.Args.Positional) < 2 {
		return c.UsageError("--session belongs to a project and a workflow")
	}
	at, cut, err := startTime(c, c.Args.Text("--session"))
	if err != nil {
		return err
	}
	return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		defer inLocalTimes(c)()
		workflow, err := findWorkflow(ctx, server, c.Args.Positional[0], c.Args.Positional[1], "")
		if err != nil {
			return err
		}
		session, err := server.WorkflowSessionTime(ctx, workflow.ID, at, cut)
		if err != nil {
			return err
		}
		why, err := server.ExplainSession(ctx, workflow.Project.ID, workflow.Name, session.SessionTime.Time)
		switch {
		case err != nil:
			return err
		case c.Args.Given("--json"):
			return cmd.PrintJSON(c, why)
		}
		terminal.Say(c.Env.Stdout, "%s/%s %s\n", workflow.Project.Name, workflow.Name, sessionTime(session.SessionTime))
		if why.Attempt != nil {
			terminal.Say(c.Env.Stdout, "  %s: %s\n", why.Text, *why.Attempt)
			return nil
		}
		terminal.Say(c.Env.Stdout, "  %s: %s%s\n", optText(why.Code), why.Text, sinceText(c, why.Since))
		printOffers(c, why.Offers)
		return nil
	})(ctx, c)
}

// showWhy prints an answer. If it is about a whole attempt, it also says what the tasks wait for.
func showWhy(ctx context.Context, c *cmd.Call, server *client.Client, why *api.AttemptWhy, err error, whole bool) error {
	switch {
	case err != nil:
		return err
	case c.Args.Given("--json") && whole:
		return cmd.PrintJSON(c, why)
	case c.Args.Given("--json"):
		return cmd.PrintJSON(c, &why.Why)
	}
	printWhy(c, &why.Why, outputBehind(ctx, server, &why.Why))
	if whole && len(why.ByCode) > 0 {
		about := "Tasks that wait"
		if !goesOn(why.State) {
			about = "Tasks that were not reached"
		}
		terminal.Say(c.Env.Stdout, "\n%s, by their first reason:\n", about)
		for _, count := range why.ByCode {
			terminal.Say(c.Env.Stdout, "  %6d  %-18s %s\n", count.Count, count.Code, sampleText(&count))
		}
	}
	return nil
}

// sampleText says what tasks wait for, and names one of them.
func sampleText(count *api.CodeCount) string {
	text := count.Sample.Name
	if count.Count > 1 {
		text += fmt.Sprintf(" and %d more", count.Count-1)
	}
	if count.Arg != "" {
		text = count.Arg + ": " + text
	}
	return text
}

// printWhy prints an answer, with the last output of the failed tasks in it.
func printWhy(c *cmd.Call, why *api.Why, output map[api.ID][]string) {
	subject := "attempt " + why.Attempt.String()
	if why.Task != nil {
		subject = why.Task.Name
	}
	terminal.Say(c.Env.Stdout, "%s: %s\n", subject, statusText(c, why.State))
	if why.Place != nil {
		terminal.Say(c.Env.Stdout, "  at %s\n", *why.Place)
	}
	if len(why.Reasons) == 0 {
		terminal.Say(c.Env.Stdout, "  %s\n", why.Text)
	}
	for i := range why.Reasons {
		r := &why.Reasons[i]
		terminal.Say(c.Env.Stdout, "  %s: %s%s\n", optText(r.Code), r.Text, sinceText(c, r.Since))
	}
	if len(why.Chain) > 1 {
		terminal.Say(c.Env.Stdout, "\nWhat is behind it:\n")
		for i := range why.Chain[1:] {
			link := &why.Chain[1+i]
			terminal.Say(c.Env.Stdout, "%s%s %s\n", strings.Repeat("  ", min(i+1, 12)), linkName(link), link.Reason.Text)
			if link.Task == nil {
				continue
			}
			for _, line := range output[link.Task.ID] {
				terminal.Say(c.Env.Stdout, "%s| %s\n", strings.Repeat("  ", min(i+2, 13)), terminal.Clean(line))
			}
		}
	}
	printOffers(c, why.Offers)
}

// printOffers prints the commands that would help.
func printOffers(c *cmd.Call, offers []api.Offer) {
	if len(offers) == 0 {
		return
	}
	terminal.Say(c.Env.Stdout, "\nWhat can be done:\n")
	for _, offer := range offers {
		note := ""
		if !offer.Allowed {
			note = "   (you are not allowed to)"
		}
		terminal.Say(c.Env.Stdout, "  %s%s\n", c.OnServer(offer.Label), note)
	}
}

func linkName(link *api.WhyLink) string {
	if link.Task == nil {
		return "attempt " + link.Attempt.String()
	}
	return link.Task.Name
}

// sinceText says since when something holds, in the zone of this system.
func sinceText(c *cmd.Call, since *string) string {
	if since == nil {
		return ""
	}
	at, err := time.Parse(time.RFC3339, *since)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("  (since %s)", localTime(c, api.Instant{Time: at}))
}
