package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/terminal"
)

// fromScheduler is where a database in memory comes from that nobody asked for: the files of the project
// tell everything anew.
const fromScheduler = "scheduler"

// schedulerRow is the row of the command scheduler.
func schedulerRow() command {
	return command{
		name: "scheduler", aliases: []string{"sched"}, section: sectionLocal,
		lines:   []line{{"scheduler", "run the schedules of a local project"}},
		usage:   []string{"sched [options...]"},
		people:  []string{"scheduler [options...]"},
		options: options([]option{projectOption}, serverOptions, paramOptions),
		run:     runScheduler,
	}
}

// runScheduler runs a server for one local project (server 1.9.5, language S29): its tasks work in the
// project's folder itself, and its files are looked at again and again.
func runScheduler(ctx context.Context, c *call) error {
	if c.args.given("--memory") && c.args.given("--database") {
		return c.usage(textTwoDatabases)
	}
	dir, err := projectDir(c)
	if err != nil {
		return err
	}
	settings, err := serverSettings(c)
	if err != nil {
		return err
	}
	if _, set := settings[keyDatabaseType]; !set {
		settings[keyDatabaseType] = config.Setting{Value: config.DatabaseMemory, From: fromScheduler}
	}
	err = serveLogged(ctx, c, func(ctx context.Context, log *slog.Logger, signals <-chan os.Signal) error {
		return runServerProcess(ctx, c, settings, log, signals, dir)
	})
	if broken, ok := errors.AsType[*daemon.BrokenProjectError](err); ok {
		return schedulerRefused(c, dir, broken)
	}
	return err
}

// schedulerRefused shows why the files of a project are refused, and where. Of an option that nobody reads the
// findings are warnings, as for a run.
func schedulerRefused(c *call, dir string, broken *daemon.BrokenProjectError) error {
	findings := findingsOfFolder(dir)
	if hasErrors(findings) {
		return refuseProject(c, dir, broken.Err)
	}
	terminal.Say(c.env.Stderr, "error: %s\n", broken)
	showFindings(c, findings)
	return &exitError{exitFailure}
}
