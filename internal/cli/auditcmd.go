package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// auditClock shows instants of the audit: moves are milliseconds apart.
const auditClock = "2006-01-02 15:04:05.000 -0700"

// historyRow is the row of the command history.
func historyRow() command {
	return command{
		name: "history", section: sectionSession, remote: true, extra: true,
		lines: []line{{"history <attempt-id> [+task]", "show what happened to an attempt: who, what and when"}},
		usage: []string{"history <attempt-id> [+task]"},
		min:   1, max: 2,
		options: []option{jsonOption},
		run:     runHistory,
	}
}

// runHistory shows what happened to an attempt, or to a task of it, the oldest first (control K1215).
func runHistory(ctx context.Context, c *call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	q := client.AuditQuery{Attempt: id, Ascending: true}
	if len(c.args.positional) > 1 {
		q.Task = c.args.positional[1]
	}
	return remote(func(ctx context.Context, c *call, server *client.Client) error {
		all := &api.AuditList{}
		agents := agentNames{server: server}
		count := 0
		for page := (client.Cursor{Limit: largestPage}); ; {
			list, err := server.ListAudit(ctx, q, page)
			if err != nil {
				return err
			}
			count += len(list.Items)
			if c.args.given("--json") {
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
		if c.args.given("--json") {
			return printJSON(c, all)
		}
		terminal.Say(c.env.Stdout, "%d entries.\n", count)
		return nil
	})(ctx, c)
}

// auditRow is the row of the command audit.
func auditRow() command {
	return command{
		name: "audit", section: sectionServer, remote: true, extra: true,
		lines: []line{{"audit", "show who did what"}},
		usage: []string{"audit [options...]"},
		options: []option{
			textOption("NAME", "only what this user, token, server or agent did", "--actor"),
			textOption("ACTION", "only this action, as in pool.create, or all of a kind, as in pool", "--action"),
			textOption("PROJECT", "only what belongs to this project", "--project"),
			textOption("NAME", "only what belongs to this workflow of the project", "--workflow"),
			textOption("SOURCE", "only what came from there", "--source").offering(oneOf("rest", "cli", "config", "scheduler", "server")),
			textOption("TIME", "only what happened then or later: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds", "--from"),
			textOption("TIME", "only what happened before then", "--to"),
			intOption("N", "show the newest N", "--count").or("100"),
			jsonOption,
		},
		run: runAudit,
	}
}

// runAudit shows who did what, the newest at the end.
func runAudit(ctx context.Context, c *call) error {
	q := client.AuditQuery{
		Actor: c.args.text("--actor"), Action: c.args.text("--action"), Source: c.args.text("--source"),
		Project: c.args.text("--project"), Workflow: c.args.text("--workflow"),
	}
	for _, o := range []struct {
		name  string
		place *time.Time
	}{{"--from", &q.From}, {"--to", &q.To}} {
		if c.args.text(o.name) == "" {
			continue
		}
		at, err := instantOption(c, o.name, o.name)
		if err != nil {
			return err
		}
		*o.place = at
	}
	count := c.args.number("--count")
	if count < 1 {
		return c.usage("--count must be 1 or more")
	}
	return remote(func(ctx context.Context, c *call, server *client.Client) error {
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
		if c.args.given("--json") {
			return printJSON(c, all)
		}
		slices.Reverse(all.Items)
		if all.Next != nil {
			terminal.Say(c.env.Stderr, "There are older entries. Use --count to see more of them.\n")
		}
		printAudit(c, all.Items, &agentNames{})
		terminal.Say(c.env.Stdout, "%d entries.\n", len(all.Items))
		return nil
	})(ctx, c)
}

// printAudit prints a line for each entry: when, who, and what.
func printAudit(c *call, entries []api.AuditEntry, agents *agentNames) {
	for i := range entries {
		e := &entries[i]
		when := e.At
		if at, err := api.ParseInstant(e.At); err == nil {
			when = at.In(c.env.Now().Location()).Format(auditClock)
		}
		who := e.Actor.Name
		if e.Actor.Kind == trowel.ActorAgent {
			who = agents.name(who)
		}
		note := ""
		if e.Note != "" {
			note = "  # " + e.Note
		}
		what := strings.TrimPrefix(e.Text, e.Actor.Name+" ") // the sentence begins with who it was
		terminal.Say(c.env.Stdout, "%s  %-12s  %s%s\n", when, who, what, note)
	}
}
