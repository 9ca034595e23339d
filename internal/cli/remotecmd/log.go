package remotecmd

import (
	"context"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// afterEnd is how often log --follow looks once more at logs whose end is missing although the attempt
// has ended: the agent may be gone.
const afterEnd = 10

// followInterval is the time between two looks of log --follow. Digdag waits twice as long each time
// nothing new is there, up to 10 s (server 1.10.9); here a line is seen within a second, unless looking
// takes long: a log that grew is read from its beginning.
const followInterval = 500 * time.Millisecond

// Log is the row of the command log.
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

// textNoSuchLogs stands where Digdag says nothing: names of tasks are often given without that of the
// workflow, with which they begin.
const textNoSuchLogs = "attempt %d has no logs of tasks whose full names begin with %s; `%s` lists them\n"

// followed follows the logs to their end. That the attempt failed is known to the exit code, so that scripts
// can rely on it.
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

// follow prints what is there and what comes, until the attempt or the tasks of the prefix have
// ended. A server that goes away meanwhile is waited for.
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
		pause := time.NewTimer(max(interval, 2*time.Since(begun)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		case <-pause.C:
		}
	}
	return l.finish()
}

// look prints what is new. Whether more will come is asked before the files are looked at, so that the last
// lines are there.
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

// over reports whether the attempt has ended: after a kill, tasks that had not begun stay blocked.
func (l *logShow) over(ctx context.Context) (bool, error) {
	attempt, err := l.server.FindAttempt(ctx, l.attempt)
	if err != nil {
		return false, err
	}
	return attempt.Done, nil
}
