package cli

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of server 1.10.8.
const (
	textRetryRevision = "--keep-revision, --latest-revision, or --revision <name> option is required. "
	textRetryTasks    = "--all, --resume, or --resume-from <+name> option is required. "
	textRetryNoID     = "Session attempt %s is non-stored workflow. Retrying a non-stored workflow is not supported."
)

// retryConflict refuses options of retry that are missing or exclude each other.
func retryConflict(a *arguments) string {
	revisions := countGiven(a, "--keep-revision", "--latest-revision", "--revision")
	tasks := countGiven(a, "--all", "--resume", "--resume-from")
	switch {
	case revisions == 0 && tasks == 0:
		return textRetryRevision + textRetryTasks
	case revisions == 0:
		return textRetryRevision
	case tasks == 0:
		return textRetryTasks
	case revisions > 1:
		return "Setting --keep-revision, --latest-revision, or --revision together is invalid."
	case tasks > 1:
		return "Setting --all, --resume, or --resume-from together is invalid."
	}
	return ""
}

// countGiven is how many of some options stand on the command line.
func countGiven(a *arguments, names ...string) int {
	n := 0
	for _, name := range names {
		if a.given(name) {
			n++
		}
	}
	return n
}

// retryRow is the row of the command retry.
func retryRow() command {
	return command{
		name: "retry", section: sectionSession, remote: true,
		lines: []line{{"retry <attempt-id>", "run a session again"}},
		usage: []string{"retry <attempt-id>"},
		min:   1, max: 1,
		options: options([]option{
			flagOption("use the latest revision", "--latest-revision"),
			flagOption("use the revision of the attempt", "--keep-revision"),
			textOption("REVISION", "use this revision", "--revision"),
			flagOption("run all tasks", "--all"),
			flagOption("run the tasks that did not succeed", "--resume"),
			textOption("+NAME", "run this task and all after it", "--resume-from"),
			textOption("NAME", "name of the attempt; default: a random one", "--name"),
			waitOption,
			jsonOption,
		}, paramOptions),
		run: runRetry,
	}
}

// runRetry runs a session again (server 1.10.8).
func runRetry(ctx context.Context, c *call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	if text := retryConflict(c.args); text != "" {
		return c.usage(text).hinting("to run what did not succeed, with the newest revision: %s\nto run all tasks again: %s",
			c.hinted("retry "+id.String()+" --latest-revision --resume"), c.hinted("retry "+id.String()+" --latest-revision --all"))
	}
	settings, err := c.config()
	if err != nil {
		return err
	}
	params, err := readParameters(c, settings, c.env.readParams)
	if err != nil {
		return err
	}
	retry := func(ctx context.Context, c *call, server *client.Client) error {
		attempt, err := server.FindAttempt(ctx, id)
		if err != nil {
			return err
		}
		workflow, err := retryWorkflow(ctx, c, server, attempt)
		if err != nil {
			return err
		}
		name := c.args.text("--name")
		if !c.args.given("--name") {
			name = uuid.NewString()
		}
		started, err := server.StartAttempt(ctx, api.AttemptRequest{
			WorkflowID:       workflow,
			SessionTime:      api.Instant{Time: attempt.SessionTime.Time},
			RetryAttemptName: &name,
			Resume:           retryResume(c, id),
			Params:           param.Merged(attempt.Params, params),
		})
		if err != nil {
			return err
		}
		return startedOrFollowed(ctx, c, server, started)
	}
	return remote(retry)(ctx, c)
}

// retryWorkflow is the workflow to run: the attempt's own, or the one of that name in another
// revision.
func retryWorkflow(ctx context.Context, c *call, server *client.Client, attempt *api.Attempt) (api.ID, error) {
	if c.args.given("--keep-revision") {
		if attempt.Workflow.ID == nil {
			return 0, c.usage(fmt.Sprintf(textRetryNoID, attempt.ID))
		}
		return *attempt.Workflow.ID, nil
	}
	workflow, err := server.FindWorkflow(ctx, attempt.Project.ID, c.args.text("--revision"), attempt.Workflow.Name)
	if err != nil {
		return 0, err
	}
	return workflow.ID, nil
}

// retryResume says what is taken over from the attempt; nil for nothing.
func retryResume(c *call, id api.ID) *api.Resume {
	switch {
	case c.args.given("--resume"):
		return &api.Resume{Mode: api.ResumeFailed, AttemptID: id}
	case c.args.given("--resume-from"):
		return &api.Resume{Mode: api.ResumeFrom, AttemptID: id, From: c.args.text("--resume-from")}
	}
	return nil
}
