package remotecmd

import (
	"context"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// auditClock is the format of instants of the audit: transitions are milliseconds apart.
const auditClock = "2006-01-02 15:04:05.000 -0700"

// History returns the row of the command history.
func History() cmd.Command {
	return cmd.Command{
		Name: "history", Section: cmd.SectionSession, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "history <attempt-id> [+task]", Text: "show what happened to an attempt: who, what and when"}},
		Min:   1, Max: 2,
		Options: []cmd.Option{jsonOption},
		Run:     runHistory,
	}
}

// runHistory shows what happened to an attempt, or to a task of it, the oldest first (control K1215).
func runHistory(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	q := client.AuditQuery{Attempt: id, Ascending: true}
	if len(c.Args.Positional) > 1 {
		q.Task = c.Args.Positional[1]
	}
	return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		all := &api.AuditList{}
		agents := agentNames{server: server}
		count := 0
		for page := (client.Cursor{Limit: largestPage}); ; {
			list, err := server.ListAudit(ctx, q, page)
			if err != nil {
				return err
			}
			count += len(list.Items)
			if c.Args.Given("--json") {
				all.Items = append(all.Items, list.Items...)
			} else {
				agents.look(ctx, list.Items)
				printAudit(c, list.Items, &agents)
			}
			if list.Next == nil {
				break
			}
			page.Next = *list.Next
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, all)
		}
		terminal.Say(c.Env.Stdout, "%d entries.\n", count)
		return nil
	})(ctx, c)
}

// Audit returns the row of the command audit.
func Audit() cmd.Command {
	return cmd.Command{
		Name: "audit", Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "audit", Text: "show who did what"}},
		Usage: []string{"audit [options...]"},
		Options: []cmd.Option{
			cmd.TextOption("NAME", "only what this user, token, server or agent did", "--actor"),
			cmd.TextOption("ACTION", "only this action, as in pool.create, or all of a kind, as in pool", "--action"),
			cmd.TextOption("PROJECT", "only what belongs to this project", "--project"),
			cmd.TextOption("NAME", "only what belongs to this workflow of the project", "--workflow"),
			cmd.TextOption("SOURCE", "only what came from there", "--source").Offering(cmd.OneOf("rest", "cli", "config", "scheduler", "server")),
			cmd.TextOption("TIME", "only what happened then or later: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds", "--from"),
			cmd.TextOption("TIME", "only what happened before then", "--to"),
			cmd.IntOption("N", "show the newest N", "--count").Or("100"),
			jsonOption,
		},
		Run: runAudit,
	}
}

// runAudit shows who did what, the newest at the end.
func runAudit(ctx context.Context, c *cmd.Call) error {
	q := client.AuditQuery{
		Actor: c.Args.Text("--actor"), Action: c.Args.Text("--action"), Source: c.Args.Text("--source"),
		Project: c.Args.Text("--project"), Workflow: c.Args.Text("--workflow"),
	}
	for _, o := range []struct {
		name  string
		place *time.Time
	}{{"--from", &q.From}, {"--to", &q.To}} {
		if c.Args.Text(o.name) == "" {
			continue
		}
		at, err := instantOption(c, o.name, o.name)
		if err != nil {
			return err
		}
		*o.place = at
	}
	count := c.Args.Number("--count")
	if count < 1 {
		return c.UsageError("--count must be 1 or more")
	}
	return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		all := &api.AuditList{}
		for page := (client.Cursor{}); len(all.Items) < count; {
			page.Limit = min(count-len(all.Items), largestPage)
			list, err := server.ListAudit(ctx, q, page)
			if err != nil {
				return err
			}
			all.Items = append(all.Items, list.Items...)
			if all.Next = list.Next; list.Next == nil {
				break
			}
			page.Next = *list.Next
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, all)
		}
		slices.Reverse(all.Items)
		if all.Next != nil {
			terminal.Say(c.Env.Stderr, "There are older entries. Use --count to see more of them.\n")
		}
		printAudit(c, all.Items, &agentNames{})
		terminal.Say(c.Env.Stdout, "%d entries.\n", len(all.Items))
		return nil
	})(ctx, c)
}

// printAudit prints a line for each entry: when, who, and what.
func printAudit(c *cmd.Call, entries []api.AuditEntry, agents *agentNames) {
	for i := range entries {
		e := &entries[i]
		when := e.At
		if at, err := api.ParseInstant(e.At); err == nil {
			when = at.In(c.Env.Now().Location()).Format(auditClock)
		}
		who := e.Actor.Name
		if e.Actor.Kind == trowel.ActorAgent {
			who = agents.name(who)
		}
		note := ""
		if e.Note != "" {
			note = "  # " + e.Note
		}
		what := strings.TrimPrefix(e.Text, e.Actor.Name+" ") // the sentence begins with the actor
		terminal.Say(c.Env.Stdout, "%s  %-12s  %s%s\n", when, who, what, note)
	}
}
