package remotecmd

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
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
func retryConflict(a *cmd.Arguments) string {
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

// countGiven returns how many of some options are given.
func countGiven(a *cmd.Arguments, names ...string) int {
	n := 0
	for _, name := range names {
		if a.Given(name) {
			n++
		}
	}
	return n
}

// Retry returns the row of the command retry.
func Retry() cmd.Command {
	return cmd.Command{
		Name: "retry", Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "retry <attempt-id>", Text: "run a session again"}},
		Min:   1, Max: 1,
		Options: cmd.Options([]cmd.Option{
			cmd.FlagOption("use the latest revision", "--latest-revision"),
			cmd.FlagOption("use the revision of the attempt", "--keep-revision"),
			cmd.TextOption("REVISION", "use this revision", "--revision"),
			cmd.FlagOption("run all tasks", "--all"),
			cmd.FlagOption("run the tasks that did not succeed", "--resume"),
			cmd.TextOption("+NAME", "run this task and all after it", "--resume-from"),
			cmd.TextOption("NAME", "name of the attempt; default: a random one", "--name"),
			waitOption,
			jsonOption,
		}, cmd.ParamOptions),
		Run: runRetry,
	}
}

// runRetry runs a session again (server 1.10.8).
func runRetry(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	if text := retryConflict(c.Args); text != "" {
		return c.UsageError(text).Hinting("to run what did not succeed, with the newest revision: %s\nto run all tasks again: %s",
			c.Hinted("retry "+id.String()+" --latest-revision --resume"), c.Hinted("retry "+id.String()+" --latest-revision --all"))
	}
	params, err := c.Parameters()
	if err != nil {
		return err
	}
	retry := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		attempt, err := server.FindAttempt(ctx, id)
		if err != nil {
			return err
		}
		workflow, err := retryWorkflow(ctx, c, server, attempt)
		if err != nil {
			return err
		}
		name := c.Args.Text("--name")
		if !c.Args.Given("--name") {
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

// retryWorkflow returns the workflow to run: the attempt's own, or the one of that name in another
// revision.
func retryWorkflow(ctx context.Context, c *cmd.Call, server *client.Client, attempt *api.Attempt) (api.ID, error) {
	if c.Args.Given("--keep-revision") {
		if attempt.Workflow.ID == nil {
			return 0, c.UsageError(fmt.Sprintf(textRetryNoID, attempt.ID))
		}
		return *attempt.Workflow.ID, nil
	}
	workflow, err := server.FindWorkflow(ctx, attempt.Project.ID, c.Args.Text("--revision"), attempt.Workflow.Name)
	if err != nil {
		return 0, err
	}
	return workflow.ID, nil
}

// retryResume returns what is taken over from the attempt; nil for nothing.
func retryResume(c *cmd.Call, id api.ID) *api.Resume {
	switch {
	case c.Args.Given("--resume"):
		return &api.Resume{Mode: api.ResumeFailed, AttemptID: id}
	case c.Args.Given("--resume-from"):
		return &api.Resume{Mode: api.ResumeFrom, AttemptID: id, From: c.Args.Text("--resume-from")}
	}
	return nil
}
