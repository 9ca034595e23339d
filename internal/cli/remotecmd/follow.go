package remotecmd

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
	"github.com/trowel-project/trowel/internal/terminal"
)

// followAttempt shows an attempt until it has ended. Its error is the exit code: none after a success, 1 after
// a failure or a kill, and 130 if a signal ended the watching, after which the attempt goes on. answered says that
// the server has answered before, as it has if the attempt was just started.
func followAttempt(ctx context.Context, c *cmd.Call, server *client.Client, id api.ID, answered bool) error {
	var attempt *api.Attempt
	err := cmd.Interruptible(ctx, func(ctx context.Context) (err error) {
		f := &follower{server: server, id: id, view: newFollowView(c), least: lookLeast, away: awayServer{answered: answered}}
		attempt, err = f.run(ctx)
		return err
	})
	if left, ok := errors.AsType[*cmd.ExitError](err); ok && left.Code == cmd.ExitInterrupted {
		terminal.Say(c.Env.Stderr, "attempt %s goes on; to follow it again: %s\n", id, followCommand(c, id))
	}
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		if err := cmd.PrintJSON(c, attempt); err != nil {
			return err
		}
	}
	if !attempt.Success {
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	return nil
}

// newFollowView chooses how an attempt is shown, as selectDisplay does for a run. With --json only the end is shown.
func newFollowView(c *cmd.Call) followView {
	switch {
	case c.Args.Given("--json"):
		return &followQuiet{env: c.Env}
	case cmd.DrawsTree(c.Env):
		return &followTree{call: c, live: live.New(cmd.LiveOptionsOf(c))}
	default:
		return &followLines{call: c, states: map[api.ID]string{}}
	}
}

// followCommand returns the command that follows the attempt again, with the options that name its server. Credentials
// are left out, since others may see the command.
func followCommand(c *cmd.Call, id api.ID) string {
	return cmd.ServerCommand(c, "attempt", id.String(), "--follow")
}

// followedEnd describes the end of an attempt like the end of a run.
func followedEnd(c *cmd.Call, a *api.Attempt, tasks []api.Task, facts taskFacts) runview.End {
	end := runview.End{Status: attemptStatus(a), Elapsed: attemptLength(a), Whole: attemptLength(a)%time.Second == 0}
	tasks = lastRounds(tasks) // of a group that was retried, the last failure counts
	names := loopNames(tasks)
	for i := range tasks {
		if tasks[i].State == "error" {
			message := taskFailure(&tasks[i])
			end.Failed = append(end.Failed, runview.FailedTask{
				Name: terminal.Clean(tasks[i].FullName), Message: message, Where: terminal.Clean(facts.places[tasks[i].ID]),
				LastLines: facts.lines[tasks[i].ID], Fix: fixOnServer(c, a, message, tasks), Values: loopValues(names[tasks[i].ID]),
			})
		}
	}
	if !a.Success {
		end.Resume = cmd.ServerCommand(c, "retry", a.ID.String(), "--latest-revision", "--resume")
	}
	return end
}

// taskFailure returns why a task failed; empty if the server does not say.
func taskFailure(t *api.Task) string {
	if t.Error == nil {
		return ""
	}
	return runview.FailureText(t.Error)
}

// attemptLength returns how long an attempt took.
func attemptLength(a *api.Attempt) time.Duration {
	if a.FinishedAt == nil {
		return 0
	}
	return a.FinishedAt.Sub(a.CreatedAt.Time)
}

// attemptTitle names an attempt in one line.
func attemptTitle(a *api.Attempt) string {
	title := "attempt " + a.ID.String() + " of " + a.Project.Name + "/" + a.Workflow.Name + ", session " + sessionTime(a.SessionTime)
	if a.RetryAttemptName != nil {
		title += ", retry " + strconv.Quote(*a.RetryAttemptName)
	}
	return title
}

// followQuiet shows only what happens to the connection.
type followQuiet struct{ env cmd.Env }

func (q *followQuiet) Begin(*api.Attempt) {}

func (q *followQuiet) Tasks(*api.Attempt, []api.Task) {}

func (q *followQuiet) Changed([]api.TaskChange) bool { return false }

func (q *followQuiet) Note(text string) { terminal.Say(q.env.Stderr, "%s\n", text) }

func (q *followQuiet) End(*api.Attempt, []api.Task, taskFacts) {}

func (q *followQuiet) Leave() {}
