package remotecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Texts of server 1.10.7.
const (
	textStartSession     = "--session must be hourly, daily, now, \"yyyy-MM-dd\", or \"yyyy-MM-dd HH:mm:SS\" format: %s"
	textSessionExists    = "A session for the requested session_time already exists (session_id=%s, attempt_id=%s, session_time=%s)"
	textSessionExistsOne = "A session for the requested session_time already exists (session_time=%s)"
	textHintRetry        = "\nhint: use `%s` command to run the session again for the same session_time"
)

// Start returns the row of the command start.
func Start() cmd.Command {
	return cmd.Command{
		Name: "start", Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "start <project-name> <name>", Text: "start a session of a workflow"}},
		Min:   2, Max: 2,
		Options: cmd.Options([]cmd.Option{
			cmd.TextOption("SESSION", "daily, hourly, now, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "--session").
				Offering(cmd.OneOf("daily", "hourly", "now")),
			cmd.TextOption("REVISION", "use the workflow of this revision", "--revision"),
			cmd.TextOption("NAME", "name of the attempt, to run the session again", "--retry"),
			cmd.FlagOption("show what would be started", "-d", "--dry-run"),
			waitOption,
			jsonOption,
		}, cmd.ParamOptions),
		Run: runStart,
	}
}

// runStart starts a session of a workflow (server 1.10.7).
func runStart(ctx context.Context, c *cmd.Call) error {
	if !c.Args.Given("--session") {
		return c.UsageError("--session option is required")
	}
	at, cut, err := startTime(c, c.Args.Text("--session"))
	if err != nil {
		return err
	}
	params, err := c.Parameters()
	if err != nil {
		return err
	}
	start := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		workflow, err := findWorkflow(ctx, server, c.Args.Positional[0], c.Args.Positional[1], c.Args.Text("--revision"))
		if err != nil {
			return err
		}
		session, err := server.WorkflowSessionTime(ctx, workflow.ID, at, cut)
		if err != nil {
			return err
		}
		request := api.AttemptRequest{
			WorkflowID:  workflow.ID,
			SessionTime: api.Instant{Time: session.SessionTime.Time},
			Params:      params,
		}
		if name := c.Args.Text("--retry"); name != "" {
			request.RetryAttemptName = &name
		}
		if c.Args.Given("--dry-run") {
			return showDryRun(c, workflow, request)
		}
		attempt, err := server.StartAttempt(ctx, request)
		if err != nil {
			return sessionExists(c, err, session.SessionTime)
		}
		return startedOrFollowed(ctx, c, server, attempt)
	}
	return remote(start)(ctx, c)
}

// startTime returns the time of --session for the server, and to what the server truncates it.
func startTime(c *cmd.Call, text string) (at, cut string, err error) {
	now := c.Env.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	switch text {
	case "hourly":
		return now, client.CutHour, nil
	case "daily":
		return now, client.CutDay, nil
	case "now":
		return now, client.CutNothing, nil
	}
	clock, ok := cmd.ParseClock(text)
	if !ok {
		return "", "", cmd.ClockError("--session", text, fmt.Sprintf(textStartSession, text), "daily", "hourly", "now")
	}
	cmd.WarnOfDay(c, "--session")
	return isoLocal(clock), client.CutNothing, nil
}

// sessionExists turns the answer that the attempt exists into an error that says how to go on.
func sessionExists(c *cmd.Call, err error, at api.OffsetTime) error {
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok || refused.Code != http.StatusConflict {
		return err
	}
	var attempt api.Attempt
	if json.Unmarshal(refused.Body, &attempt) != nil || attempt.ID == 0 {
		return &cmd.ComplaintError{Text: fmt.Sprintf(textSessionExistsOne+textHintRetry, isoShort(at), retryForm(c, "<attempt-id>"))}
	}
	return &cmd.ComplaintError{Text: fmt.Sprintf(textSessionExists+textHintRetry,
		attempt.SessionID, attempt.ID, isoShort(attempt.SessionTime), retryForm(c, attempt.ID.String()))}
}

// retryForm returns the command that runs a session again.
func retryForm(c *cmd.Call, attempt string) string {
	return c.HintedToPeople("retry " + attempt + " --latest-revision --all")
}

// startedOrFollowed shows an attempt that was just started, with --wait until it has ended. The tree shows all
// that the record has.
func startedOrFollowed(ctx context.Context, c *cmd.Call, server *client.Client, attempt *api.Attempt) error {
	if !c.Args.Given("--wait") {
		return showStarted(c, attempt)
	}
	if !c.Args.Given("--json") && !cmd.DrawsTree(c.Env) {
		if err := showStarted(c, attempt); err != nil {
			return err
		}
	}
	return followAttempt(ctx, c, server, attempt.ID, true)
}

// showStarted prints an attempt that was just started.
func showStarted(c *cmd.Call, a *api.Attempt) error {
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, a)
	}
	terminal.Say(c.Env.Stdout, "Started a session attempt:\n")
	terminal.Say(c.Env.Stdout, recordIDs, a.SessionID, a.ID, a.SessionUUID)
	terminal.Say(c.Env.Stdout, recordPlace, a.Project.Name, a.Workflow.Name, sessionTime(a.SessionTime))
	terminal.Say(c.Env.Stdout, recordName+"\n",
		optText(a.RetryAttemptName), paramsText(a.Params), localTime(c, a.CreatedAt))
	terminal.Say(c.Env.Stderr, "* Use `%s` to show session status.\n", c.HintedToPeople("session "+a.SessionID.String()))
	terminal.Say(c.Env.Stderr, "* Use `%s` and `%s` to show task status and logs.\n",
		c.HintedToPeople("task "+a.ID.String()), c.HintedToPeople("log "+a.ID.String()))
	return nil
}

// showDryRun prints the attempt that would be started.
func showDryRun(c *cmd.Call, workflow *api.Workflow, request api.AttemptRequest) error {
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, request)
	}
	const unknown = "(dry run)"
	terminal.Say(c.Env.Stdout, "Session attempt:\n")
	terminal.Say(c.Env.Stdout, recordIDs, unknown, unknown, unknown)
	terminal.Say(c.Env.Stdout, recordPlace, workflow.Project.Name, workflow.Name, localTime(c, request.SessionTime))
	terminal.Say(c.Env.Stdout, "  retry attempt name: %s\n  params: %s\n\n", optText(request.RetryAttemptName), param.JSON(request.Params))
	terminal.Say(c.Env.Stderr, "Session attempt is not started.\n")
	return nil
}
