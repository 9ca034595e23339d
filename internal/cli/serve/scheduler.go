package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/projectdir"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/terminal"
)

// fromScheduler is the source of the setting for a database in memory that was not asked for. It may be lost: the files
// of the project describe everything.
const fromScheduler = "scheduler"

// Scheduler returns the row of the command scheduler.
func Scheduler() cmd.Command {
	return cmd.Command{
		Name: "scheduler", Aliases: []string{"sched"}, Section: cmd.SectionLocal,
		Lines:   []cmd.Line{{Form: "scheduler", Text: "run the schedules of a local project"}},
		Usage:   []string{"sched [options...]"},
		People:  []string{"scheduler [options...]"},
		Options: cmd.Options([]cmd.Option{cmd.ProjectOption}, cmd.ServerOptions, cmd.ParamOptions),
		Run:     runScheduler,
	}
}

// runScheduler runs a server for one local project (server 1.9.5, language S29). Tasks work in the
// project's folder itself, and changes of its files are noticed.
func runScheduler(ctx context.Context, c *cmd.Call) error {
	if c.Args.Given("--memory") && c.Args.Given("--database") {
		return c.UsageError(cmd.TextTwoDatabases)
	}
	dir, err := projectdir.Dir(c)
	if err != nil {
		return err
	}
	settings, err := cmd.ServerSettings(c)
	if err != nil {
		return err
	}
	if _, set := settings[cmd.KeyDatabaseType]; !set {
		settings[cmd.KeyDatabaseType] = config.Setting{Value: config.DatabaseMemory, From: fromScheduler}
	}
	err = serveLogged(ctx, c, func(ctx context.Context, log *slog.Logger, signals <-chan os.Signal) error {
		return runServerProcess(ctx, c, settings, log, signals, dir)
	})
	if broken, ok := errors.AsType[*daemon.BrokenProjectError](err); ok {
		return schedulerRefused(c, dir, broken)
	}
	return err
}

// schedulerRefused shows why and where the files of a project are refused. Findings about unused options are
// warnings, as for a run.
func schedulerRefused(c *cmd.Call, dir string, broken *daemon.BrokenProjectError) error {
	findings := projectdir.Findings(dir)
	if projectdir.HasErrors(findings) {
		return projectdir.Refuse(c, dir, broken.Err)
	}
	terminal.Say(c.Env.Stderr, "error: %s\n", broken)
	projectdir.ShowFindings(c, findings)
	return &cmd.ExitError{Code: cmd.ExitFailure}
}
