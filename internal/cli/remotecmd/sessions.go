package remotecmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Sessions returns the row of the command session.
func Sessions() cmd.Command {
	return cmd.Command{
		Name: "session", Aliases: []string{"sessions"}, Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{
			{Form: "sessions [project-name] [name]", Text: "show sessions"},
			{Form: "session <session-id>", Text: "show one session"},
		},
		Usage: []string{
			"sessions                         show sessions for all workflows",
			"sessions <project-name>          show sessions of all workflows of a project",
			"sessions <project-name> <name>   show sessions of one workflow",
			"session <session-id>             show one session",
		},
		Max:     2,
		Options: pageOptions,
		Run:     remote(runSessions),
	}
}

// runSessions lists sessions, or shows one (server 1.10.11).
func runSessions(ctx context.Context, c *cmd.Call, server *client.Client) error {
	if len(c.Args.Positional) == 1 && allDigits(c.Args.Positional[0]) {
		return showSession(ctx, c, server)
	}
	filter, err := newAttemptFilter(c)
	if err != nil {
		return err
	}
	if filter != nil {
		return searchSessions(ctx, c, server, filter)
	}
	ask, page, err := sessionPages(ctx, c, server)
	if err != nil {
		return err
	}
	sessions, err := ask(page)
	view := newListView(c)
	if err != nil {
		return sizeError(view, err)
	}
	if view != nil {
		more, none := "", "There are no sessions. Use `"+c.Hinted("start")+"` to start one."
		if len(c.Args.Positional) > 1 {
			name := strings.Join(c.Args.Positional, "/")
			none = fmt.Sprintf("There are no sessions of %s. `%s` lists the workflows.", name, c.Hinted(textutil.ShellLine("workflows", c.Args.Positional[0])))
		}
		if n := len(sessions.Sessions); n > 0 {
			shown := listPage{
				command: append([]string{"sessions"}, c.Args.Positional...), shown: n, size: *page.Size, last: sessions.Sessions[n-1].ID,
				next: func() (bool, error) {
					next, err := ask(client.Page{LastID: sessions.Sessions[n-1].ID, Size: new(1)})
					return err == nil && len(next.Sessions) > 0, err
				},
			}
			for i := range sessions.Sessions {
				if last := sessions.Sessions[i].LastAttempt; last != nil {
					shown.bytes += paramsBytes(last.Params)
				}
			}
			more = view.older(&shown)
		}
		view.show(sessionTable(view, sessions.Sessions), none, more, view.timesHint())
		return nil
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, sessions)
	}
	terminal.Say(c.Env.Stdout, "Sessions:\n")
	for _, s := range slices.Backward(sessions.Sessions) { // the oldest first
		printSession(c, &s)
	}
	if len(sessions.Sessions) == 0 {
		sayHowToStart(c)
	}
	return nil
}

// sessionPages returns a function that lists the sessions that the command line names, and the page it asks for.
func sessionPages(ctx context.Context, c *cmd.Call, server *client.Client) (
	ask func(client.Page) (*api.SessionCollection, error), page client.Page, err error,
) {
	last, err := lastID(c)
	if err != nil {
		return nil, page, err
	}
	page = client.Page{LastID: last, Size: optionNumber(c, "--page-size")}
	view := newListView(c)
	if view != nil && page.Size == nil {
		page.Size = new(view.pageSize())
	}
	if len(c.Args.Positional) == 0 {
		if view == nil {
			page.Size = nil // Digdag quirk, server 1.10.11
		}
		return func(page client.Page) (*api.SessionCollection, error) { return server.ListSessions(ctx, page) }, page, nil
	}
	project, err := findProject(ctx, server, c.Args.Positional[0])
	if err != nil {
		return nil, page, err
	}
	workflow := ""
	if len(c.Args.Positional) > 1 {
		workflow = c.Args.Positional[1]
	}
	return func(page client.Page) (*api.SessionCollection, error) {
		return server.ListProjectSessions(ctx, project.ID, workflow, page)
	}, page, nil
}

// searchSessions lists the sessions whose last attempts match a filter.
func searchSessions(ctx context.Context, c *cmd.Call, server *client.Client, filter *attemptFilter) error {
	if n := len(c.Args.Positional); n > 0 {
		if filter.project != "" {
			return c.UsageError("a project is named by an argument or by --project, not by both")
		}
		filter.project = c.Args.Positional[0]
		if n > 1 {
			filter.workflow = c.Args.Positional[1]
		}
	}
	view, standard := newListView(c), 0
	if view != nil {
		standard = view.pageSize()
	}
	found, next, err := filter.search(ctx, server, true, standard)
	if err != nil {
		return err
	}
	sessions := sessionsOf(found)
	more, none := "", filter.none(c, "sessions", filter.since.In(c.Env.Now().Location()).Format(cmd.ClockFormat))
	if next != "" {
		more = "Older ones: `" + filter.again(c, "sessions", next) + "`"
	}
	switch {
	case view != nil:
		view.show(sessionTable(view, sessions), none, more, view.timesHint())
		return nil
	case c.Args.Given("--json"):
		err = cmd.PrintJSON(c, &api.SessionCollection{Sessions: sessions})
	default:
		terminal.Say(c.Env.Stdout, "Sessions:\n")
		for i := range slices.Backward(sessions) {
			printSession(c, &sessions[i])
		}
		if len(sessions) == 0 {
			terminal.Say(c.Env.Stderr, "%s\n", none)
		}
	}
	if more != "" {
		terminal.Say(c.Env.Stderr, "%s\n", more)
	}
	return err
}

func showSession(ctx context.Context, c *cmd.Call, server *client.Client) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	session, err := server.FindSession(ctx, id)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, session)
	}
	printSession(c, session)
	return nil
}

// printSession prints a session with its last attempt.
func printSession(c *cmd.Call, s *api.Session) {
	attempt, name, params, created, killed := "", "", "", "", false
	if last := s.LastAttempt; last != nil {
		attempt, name, params = last.ID.String(), optText(last.RetryAttemptName), paramsText(last.Params)
		created, killed = localTime(c, last.CreatedAt), last.CancelRequested
	}
	terminal.Say(c.Env.Stdout, recordIDs, s.ID, attempt, s.SessionUUID)
	terminal.Say(c.Env.Stdout, recordPlace, s.Project.Name, s.Workflow.Name, sessionTime(s.SessionTime))
	terminal.Say(c.Env.Stdout, recordName, name, params, created)
	terminal.Say(c.Env.Stdout, recordState, killed, statusText(c, sessionStatus(s.LastAttempt)))
}

// sessionStatus returns the word for the state of a session. A killed one is called error.
func sessionStatus(last *api.LastAttempt) string {
	switch {
	case last == nil:
		return "pending"
	case last.Success:
		return "success"
	case last.Done:
		return "error"
	default:
		return "running"
	}
}
