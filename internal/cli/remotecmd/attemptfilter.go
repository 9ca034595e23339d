package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/textutil"
)

// attemptFilter is what people look for in lists of attempts and sessions: --status, --project, --workflow and --since.
type attemptFilter struct {
	status, project, workflow string
	since                     time.Time
	sinceText, next           string
	size                      int // the most to list; 0 for the default
}

// attemptStatuses returns the values of --status.
func attemptStatuses() []string { return []string{"running", "success", "error", "killed"} }

// knownStatus checks --status.
func knownStatus(value string) string { return statusAmong(value, attemptStatuses()) }

// statusAmong returns the complaint about a value of --status that is none of the given ones; empty if it is one.
func statusAmong(value string, words []string) string {
	if slices.Contains(words, value) {
		return ""
	}
	text := "--status must be one of " + textutil.CommaList(words) + ", not " + strconv.Quote(value)
	near := cmd.NearWord(value, words)
	if similar := param.Similar(value, words); len(similar) > 0 {
		near = similar[0]
	}
	if value == "failed" || value == "failure" {
		near = "error"
	}
	if near != "" {
		text += "\n" + cmd.DidYouMean(near)
	}
	return text
}

// newAttemptFilter reads the filters of the command line; nil if none is given.
func newAttemptFilter(c *cmd.Call) (*attemptFilter, error) {
	given := c.Args.Given("--next")
	for _, name := range []string{"--status", "--project", "--workflow", "--since"} {
		given = given || c.Args.Given(name)
	}
	if !given {
		return nil, nil //nolint:nilnil // the whole list is wanted
	}
	f := &attemptFilter{
		status: c.Args.Text("--status"), project: c.Args.Text("--project"), workflow: c.Args.Text("--workflow"),
		sinceText: c.Args.Text("--since"), next: c.Args.Text("--next"),
	}
	switch {
	case f.workflow != "" && f.project == "":
		return nil, c.UsageError("--workflow needs --project")
	case c.Args.Given("--last-id"):
		return nil, c.UsageError("--last-id goes on in the whole list").Hinting("a list with filters goes on with --next, as its last line shows")
	}
	if size := optionNumber(c, "--page-size"); size != nil {
		if *size < 1 || *size > largestPage {
			return nil, c.UsageError(fmt.Sprintf("--page-size must be 1 to %d, not %d", largestPage, *size))
		}
		f.size = *size
	}
	var err error
	f.since, err = sinceOption(c)
	return f, err
}

// search asks a server for a page of what matches the filter. next continues after the page; it is empty at the end.
func (f *attemptFilter) search(ctx context.Context, server *client.Client, sessions bool, standard int) (found []api.Attempt, next string, err error) {
	q := client.AttemptSearch{Status: f.status, Workflow: f.workflow, CreatedFrom: f.since, LastOnly: sessions}
	if f.project != "" {
		project, err := findProject(ctx, server, f.project)
		if err != nil {
			return nil, "", err
		}
		q.Project = project.Name
	}
	size := f.size
	if size == 0 {
		size = standard
	}
	page, err := server.SearchAttempts(ctx, q, client.Cursor{Next: f.next, Limit: size})
	if refused, ok := errors.AsType[*client.StatusError](err); ok && refused.Code == http.StatusNotFound && refused.Answer().Code == "" {
		return nil, "", &cmd.ComplaintError{
			Text: "the server cannot search: it is Digdag's, or an older one",
			Hint: "without --status, --project, --workflow and --since all are listed, page by page with --last-id",
		}
	}
	if err != nil {
		return nil, "", err
	}
	found = make([]api.Attempt, 0, len(page.Items))
	for i := range page.Items {
		a, err := page.Items[i].Listed()
		if err != nil {
			return nil, "", fmt.Errorf("read attempt %s: %w", page.Items[i].ID, err)
		}
		found = append(found, a)
	}
	return found, optText(page.Next), nil
}

// again returns the command line that shows the next page.
func (f *attemptFilter) again(c *cmd.Call, command, next string) string {
	words := []string{command}
	for _, option := range []struct{ name, value string }{
		{"--status", f.status}, {"--project", f.project}, {"--workflow", f.workflow}, {"--since", f.sinceText}, {"--next", next},
	} {
		if option.value == "" {
			continue
		}
		words = append(words, option.name, option.value)
	}
	if f.size > 0 {
		words = append(words, "--page-size", strconv.Itoa(f.size))
	}
	return c.Hinted(textutil.ShellLine(words...))
}

// none says that nothing was found, and what was searched for.
func (f *attemptFilter) none(c *cmd.Call, command, clock string) string {
	text := "There is no " + strings.TrimSuffix(command, "s")
	if f.status != "" {
		text += " of the status " + f.status
	}
	switch {
	case f.workflow != "":
		text += " of " + f.project + "/" + f.workflow
	case f.project != "":
		text += " of the project " + f.project
	}
	if !f.since.IsZero() {
		text += " that began since " + clock
	}
	if f.next != "" {
		text += " after that page"
	}
	return text + ".\n`" + c.Hinted(command) + "` shows the newest of all."
}

// sessionsOf returns the sessions of their last attempts.
func sessionsOf(attempts []api.Attempt) []api.Session {
	list := make([]api.Session, len(attempts))
	for i := range attempts {
		a := &attempts[i]
		list[i] = api.Session{
			ID: a.SessionID, Project: a.Project, Workflow: a.Workflow, SessionUUID: a.SessionUUID, SessionTime: a.SessionTime,
			LastAttempt: &api.LastAttempt{
				ID: a.ID, RetryAttemptName: a.RetryAttemptName, Done: a.Done, Success: a.Success, CancelRequested: a.CancelRequested,
				Params: a.Params, CreatedAt: a.CreatedAt, FinishedAt: a.FinishedAt,
			},
		}
	}
	return list
}
