package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
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

// startRow is the row of the command start.
func startRow() command {
	return command{
		name: "start", section: sectionSession, remote: true,
		lines: []line{{"start <project-name> <name>", "start a session of a workflow"}},
		usage: []string{"start <project-name> <name>"},
		min:   2, max: 2,
		options: options([]option{
			textOption("SESSION", "daily, hourly, now, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "--session").
				offering(oneOf("daily", "hourly", "now")),
			textOption("REVISION", "use the workflow of this revision", "--revision"),
			textOption("NAME", "name of the attempt, to run the session again", "--retry"),
			flagOption("show what would be started", "-d", "--dry-run"),
			waitOption,
			jsonOption,
		}, paramOptions),
		run: runStart,
	}
}

// runStart starts a session of a workflow (server 1.10.7).
func runStart(ctx context.Context, c *call) error {
	if !c.args.given("--session") {
		return c.usage("--session option is required")
	}
	at, cut, err := startTime(c, c.args.text("--session"))
	if err != nil {
		return err
	}
	settings, err := c.config()
	if err != nil {
		return err
	}
	params, err := readParameters(c, settings, c.env.readParams)
	if err != nil {
		return err
	}
	start := func(ctx context.Context, c *call, server *client.Client) error {
		workflow, err := findWorkflow(ctx, server, c.args.positional[0], c.args.positional[1], c.args.text("--revision"))
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
		if name := c.args.text("--retry"); name != "" {
			request.RetryAttemptName = &name
		}
		if c.args.given("--dry-run") {
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

// startTime is the time of --session as the server takes it, and how it cuts it off.
func startTime(c *call, text string) (at, cut string, err error) {
	now := c.env.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	switch text {
	case "hourly":
		return now, client.CutHour, nil
	case "daily":
		return now, client.CutDay, nil
	case "now":
		return now, client.CutNothing, nil
	}
	clock, ok := parseClock(text)
	if !ok {
		return "", "", clockError("--session", text, fmt.Sprintf(textStartSession, text), "daily", "hourly", "now")
	}
	warnOfDay(c, "--session")
	return isoLocal(clock), client.CutNothing, nil
}

// sessionExists makes the answer that there is such an attempt an error that says how to go on.
func sessionExists(c *call, err error, at api.OffsetTime) error {
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok || refused.Code != http.StatusConflict {
		return err
	}
	var attempt api.Attempt
	if json.Unmarshal(refused.Body, &attempt) != nil || attempt.ID == 0 {
		return &complaint{text: fmt.Sprintf(textSessionExistsOne+textHintRetry, isoShort(at), retryForm(c, "<attempt-id>"))}
	}
	return &complaint{text: fmt.Sprintf(textSessionExists+textHintRetry,
		attempt.SessionID, attempt.ID, isoShort(attempt.SessionTime), retryForm(c, attempt.ID.String()))}
}

// retryForm is the command that runs a session again.
func retryForm(c *call, attempt string) string {
	return c.hintedToPeople("retry " + attempt + " --latest-revision --all")
}

// startedOrFollowed shows an attempt that was just started, with --wait until it has ended. The tree says all
// that the record does.
func startedOrFollowed(ctx context.Context, c *call, server *client.Client, attempt *api.Attempt) error {
	if !c.args.given("--wait") {
		return showStarted(c, attempt)
	}
	if !c.args.given("--json") && !drawsTree(c.env) {
		if err := showStarted(c, attempt); err != nil {
			return err
		}
	}
	return followAttempt(ctx, c, server, attempt.ID, true)
}

// showStarted prints an attempt that was just started.
func showStarted(c *call, a *api.Attempt) error {
	if c.args.given("--json") {
		return printJSON(c, a)
	}
	terminal.Say(c.env.Stdout, "Started a session attempt:\n")
	terminal.Say(c.env.Stdout, "  session id: %s\n  attempt id: %s\n  uuid: %s\n", a.SessionID, a.ID, a.SessionUUID)
	terminal.Say(c.env.Stdout, "  project: %s\n  workflow: %s\n  session time: %s\n", a.Project.Name, a.Workflow.Name, sessionTime(a.SessionTime))
	terminal.Say(c.env.Stdout, "  retry attempt name: %s\n  params: %s\n  created at: %s\n\n",
		optText(a.RetryAttemptName), paramsText(a.Params), localTime(c, a.CreatedAt))
	terminal.Say(c.env.Stderr, "* Use `%s` to show session status.\n", c.hintedToPeople("session "+a.SessionID.String()))
	terminal.Say(c.env.Stderr, "* Use `%s` and `%s` to show task status and logs.\n",
		c.hintedToPeople("task "+a.ID.String()), c.hintedToPeople("log "+a.ID.String()))
	return nil
}

// showDryRun prints the attempt that would be started.
func showDryRun(c *call, workflow *api.Workflow, request api.AttemptRequest) error {
	if c.args.given("--json") {
		return printJSON(c, request)
	}
	const unknown = "(dry run)"
	terminal.Say(c.env.Stdout, "Session attempt:\n")
	terminal.Say(c.env.Stdout, "  session id: %s\n  attempt id: %s\n  uuid: %s\n", unknown, unknown, unknown)
	terminal.Say(c.env.Stdout, "  project: %s\n  workflow: %s\n  session time: %s\n", workflow.Project.Name, workflow.Name, localTime(c, request.SessionTime))
	terminal.Say(c.env.Stdout, "  retry attempt name: %s\n  params: %s\n\n", optText(request.RetryAttemptName), param.JSON(request.Params))
	terminal.Say(c.env.Stderr, "Session attempt is not started.\n")
	return nil
}
