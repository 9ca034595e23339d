package remotecmd

import (
	"context"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Attempts returns the row of the command attempts.
func Attempts() cmd.Command {
	return cmd.Command{
		Name: "attempts", Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "attempts [session-id]", Text: "show the attempts of all sessions, or of one"}},
		Usage: []string{
			"attempts                         show attempts for all sessions",
			"attempts <session-id>            show the attempts of one session",
		},
		Max:     1,
		Options: pageOptions,
		Run:     runAttempts,
	}
}

// runAttempts lists the attempts of a session, or the last ones of all sessions (server 1.10.12).
func runAttempts(ctx context.Context, c *cmd.Call) error {
	var session api.ID
	var err error
	if len(c.Args.Positional) > 0 {
		if session, err = firstID(c); err != nil {
			return err
		}
	}
	filter, err := newAttemptFilter(c)
	if err != nil {
		return err
	}
	if filter != nil {
		if len(c.Args.Positional) > 0 {
			return c.UsageError("the attempts of one session are listed without filters")
		}
		return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
			return searchAttempts(ctx, c, server, filter)
		})(ctx, c)
	}
	last, err := lastID(c)
	if err != nil {
		return err
	}
	page := client.Page{LastID: last, Size: optionNumber(c, "--page-size")}
	view := newListView(c)
	if view != nil && page.Size == nil {
		page.Size = new(view.pageSize())
	}
	list := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		ask := func(page client.Page) (*api.AttemptCollection, error) {
			if len(c.Args.Positional) > 0 {
				return server.ListSessionAttempts(ctx, session, page)
			}
			return server.ListAttempts(ctx, client.AttemptQuery{Page: page})
		}
		attempts, err := ask(page)
		if err != nil {
			return sizeError(view, err)
		}
		if view == nil {
			return showAttempts(c, attempts)
		}
		more, none := "", "There are no attempts. Use `"+c.Hinted("start")+"` to start a session."
		if n := len(attempts.Attempts); n > 0 {
			shown := listPage{
				command: append([]string{"attempts"}, c.Args.Positional...), shown: n, size: *page.Size, last: attempts.Attempts[n-1].ID,
				next: func() (bool, error) {
					next, err := ask(client.Page{LastID: attempts.Attempts[n-1].ID, Size: new(1)})
					return err == nil && len(next.Attempts) > 0, err
				},
			}
			for i := range attempts.Attempts {
				shown.bytes += paramsBytes(attempts.Attempts[i].Params)
			}
			more = view.older(&shown)
		}
		view.show(attemptTable(view, attempts.Attempts), none, more, view.errorHint(attempts.Attempts), view.timesHint())
		return nil
	}
	return remote(list)(ctx, c)
}

// searchAttempts lists the attempts that match a filter.
func searchAttempts(ctx context.Context, c *cmd.Call, server *client.Client, filter *attemptFilter) error {
	view, standard := newListView(c), 0
	if view != nil {
		standard = view.pageSize()
	}
	found, next, err := filter.search(ctx, server, false, standard)
	if err != nil {
		return err
	}
	more, none := "", filter.none(c, "attempts", filter.since.In(c.Env.Now().Location()).Format(cmd.ClockFormat))
	if next != "" {
		more = "Older ones: `" + filter.again(c, "attempts", next) + "`"
	}
	if view != nil {
		view.show(attemptTable(view, found), none, more, view.errorHint(found), view.timesHint())
		return nil
	}
	if len(found) == 0 && !c.Args.Given("--json") {
		terminal.Say(c.Env.Stdout, "Session attempts:\n")
		terminal.Say(c.Env.Stderr, "%s\n", none)
		return nil
	}
	err = showAttempts(c, &api.AttemptCollection{Attempts: found})
	if more != "" {
		terminal.Say(c.Env.Stderr, "%s\n", more)
	}
	return err
}

func showAttempts(c *cmd.Call, attempts *api.AttemptCollection) error {
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, attempts)
	}
	terminal.Say(c.Env.Stdout, "Session attempts:\n")
	for _, a := range slices.Backward(attempts.Attempts) { // the oldest first
		printAttempt(c, &a)
	}
	if len(attempts.Attempts) == 0 {
		sayHowToStart(c)
	}
	return nil
}

// Attempt returns the row of the command attempt.
func Attempt() cmd.Command {
	return cmd.Command{
		Name: "attempt", Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "attempt <attempt-id>", Text: "show one attempt"}},
		Usage: []string{"attempt  <attempt-id>            show a single attempt"},
		Min:   1, Max: 1,
		Options: []cmd.Option{
			cmd.FlagOption("show its tasks until it has ended; exit 1 if it did not succeed", "-f", "--follow"),
			jsonOption,
		},
		Run: runAttempt,
	}
}

// runAttempt shows one attempt (server 1.10.12).
func runAttempt(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	show := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		if c.Args.Given("--follow") {
			return followAttempt(ctx, c, server, id, false)
		}
		attempt, err := server.FindAttempt(ctx, id)
		if err != nil {
			return err
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, attempt)
		}
		printAttempt(c, attempt)
		return nil
	}
	return remote(show)(ctx, c)
}

func printAttempt(c *cmd.Call, a *api.Attempt) {
	terminal.Say(c.Env.Stdout, recordIDs, a.SessionID, a.ID, a.SessionUUID)
	terminal.Say(c.Env.Stdout, recordPlace, a.Project.Name, a.Workflow.Name, sessionTime(a.SessionTime))
	terminal.Say(c.Env.Stdout, recordName+"  finished at: %s\n",
		optText(a.RetryAttemptName), paramsText(a.Params), localTime(c, a.CreatedAt), optLocalTime(c, a.FinishedAt))
	terminal.Say(c.Env.Stdout, recordState, a.CancelRequested, statusText(c, attemptStatus(a)))
}

// attemptStatus returns the word for the state of an attempt. Like Digdag's client it does not use the
// word that servers send, since older ones send none.
func attemptStatus(a *api.Attempt) string {
	switch {
	case a.Success:
		return "success"
	case a.Done && a.CancelRequested:
		return "killed"
	case a.Done:
		return "error"
	default:
		return "running"
	}
}
