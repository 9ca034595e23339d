package remotecmd

import (
	"context"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/wait"
)

// afterEnd is how often log --follow reads logs again whose end is missing although the attempt
// has ended. The agent may be gone.
const afterEnd = 10

// followInterval is how often log --follow asks for new lines. Digdag doubles the interval each time
// there is nothing new, up to 10 s (server 1.10.9). Here a line is seen within a second, unless reading
// takes long: a log that grew is read from its beginning.
const followInterval = 500 * time.Millisecond

// Log returns the row of the command log.
func Log() cmd.Command {
	return cmd.Command{
		Name: "log", Aliases: []string{"logs"}, Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "log <attempt-id> [+task]", Text: "show the logs of an attempt"}},
		Usage: []string{"log <attempt-id> [+task name prefix]"},
		Min:   1, Max: 2,
		Options: []cmd.Option{
			cmd.FlagOption("show debug messages too", "-v", "--verbose"),
			cmd.FlagOption("go on until the attempt has ended", "-f", "--follow"),
		},
		Run: runLog,
	}
}

// runLog prints the logs of an attempt's tasks (server 1.10.9).
func runLog(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	prefix := ""
	if len(c.Args.Positional) > 1 {
		prefix = c.Args.Positional[1]
	}
	show := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		l := &logShow{
			server: server, out: c.Env.Stdout, attempt: id, prefix: prefix,
			verbose: c.Args.Given("--verbose"), screen: c.Env.Terminals.Stdout,
			away: awayServer{least: followInterval, note: func(text string) { terminal.Say(c.Env.Stderr, "%s\n", text) }},
		}
		if c.Args.Given("--follow") {
			return l.followed(ctx)
		}
		if _, err := l.once(ctx, false); err != nil {
			return err
		}
		if err := l.finish(); err != nil || prefix == "" || len(l.files) > 0 {
			return err
		}
		terminal.Say(c.Env.Stderr, textNoSuchLogs, id, prefix, c.Hinted("tasks "+id.String()))
		return nil
	}
	return remote(show)(ctx, c)
}

// textNoSuchLogs is shown where Digdag prints nothing. Often the name of a task was given without the name of the
// workflow, with which it begins.
const textNoSuchLogs = "attempt %d has no logs of tasks whose full names begin with %s; `%s` lists them\n"

// followed follows the logs to their end. If the attempt failed, the exit code says so, for scripts.
func (l *logShow) followed(ctx context.Context) error {
	if err := l.follow(ctx, followInterval); err != nil {
		return err
	}
	for {
		attempt, err := l.server.FindAttempt(ctx, l.attempt)
		if err == nil {
			if attempt.Done && !attempt.Success {
				return &cmd.ExitError{Code: cmd.ExitFailure}
			}
			return nil
		}
		if err := l.away.wait(ctx, err); err != nil {
			return err
		}
	}
}

// follow prints the logs and what is added to them, until the attempt or the tasks with the prefix have
// ended. If the server goes away meanwhile, it waits for it.
func (l *logShow) follow(ctx context.Context, interval time.Duration) error {
	for looks := 0; looks < afterEnd; {
		begun := time.Now()
		ended, whole, err := l.look(ctx)
		if err != nil {
			if err := l.away.wait(ctx, err); err != nil {
				return err
			}
			continue
		}
		l.away.back()
		if ended {
			if whole {
				break
			}
			looks++
		}
		if err := wait.Sleep(ctx, max(interval, 2*time.Since(begun))); err != nil {
			return err
		}
	}
	return l.finish()
}

// look prints new lines. It asks whether more will come before it reads the files, so that it gets the last
// lines.
func (l *logShow) look(ctx context.Context) (ended, whole bool, err error) {
	if ended, err = l.ended(ctx); err != nil {
		return false, false, err
	}
	l.away.answered = true
	whole, err = l.once(ctx, ended)
	return ended, whole, err
}

// ended reports whether no more lines will come.
func (l *logShow) ended(ctx context.Context) (bool, error) {
	if l.prefix == "" {
		return l.over(ctx)
	}
	tasks, err := l.server.ListTasks(ctx, l.attempt)
	if err != nil {
		return false, err
	}
	for i := range tasks.Tasks {
		t := &tasks.Tasks[i]
		if !strings.HasPrefix(t.FullName, l.prefix) {
			continue
		}
		switch t.State {
		case "blocked", "ready", "retry_waiting", "group_retry_waiting", "running":
			return l.over(ctx)
		}
	}
	return true, nil
}

// over reports whether the attempt has ended. After a kill, tasks that had not begun stay blocked.
func (l *logShow) over(ctx context.Context) (bool, error) {
	attempt, err := l.server.FindAttempt(ctx, l.attempt)
	if err != nil {
		return false, err
	}
	return attempt.Done, nil
}
