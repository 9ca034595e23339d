package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
)

// serverRow is the row of the command server.
func serverRow() command {
	return command{
		name: "server", section: sectionServer,
		lines:   []line{{"server", "run a server with API and schedules"}},
		usage:   []string{"server [options...]"},
		options: options(serverOptions, paramOptions),
		run:     runServer,
	}
}

// runServer runs a server until a signal ends it (server 1.9.4, 3.3).
func runServer(ctx context.Context, c *call) error {
	if text := serverConflict(c); text == textNoDatabase {
		return c.usage(text).hinting("to try it out: trowel server --memory; to keep what it knows: trowel server --database DIR")
	} else if text != "" {
		return c.usage(text)
	}
	settings, err := serverSettings(c)
	if err != nil {
		return err
	}
	return serveLogged(ctx, c, func(ctx context.Context, log *slog.Logger, signals <-chan os.Signal) error {
		return runServerProcess(ctx, c, settings, log, signals, "")
	})
}

// serveLogged runs a server with its log and its signals.
func serveLogged(ctx context.Context, c *call, serve func(context.Context, *slog.Logger, <-chan os.Signal) error) error {
	logs, err := c.openLog(c.env.Stdout, "trowel.server")
	if err != nil {
		return err
	}
	logs.Harmless = true
	signals, restore := catchSignals()
	defer restore()
	return errors.Join(serve(ctx, slog.New(logs), signals), logs.Close())
}

// serverGC is the growth of memory, in percent, after which garbage is collected. A server's live memory is small, and
// with Go's default of 100 a busy one spends a fifth of its time on it.
const serverGC = 200

// runServerProcess runs a server, of all projects or of the one in a folder.
func runServerProcess(ctx context.Context, c *call, settings config.Settings, log *slog.Logger, signals <-chan os.Signal, project string) error {
	server, err := readServer(ctx, c, settings, log)
	if err != nil {
		return err
	}
	if from := settings[keyDatabaseType].From; server.Database.Type == config.DatabaseMemory && from != fromMemory && from != fromScheduler {
		logging.Print(ctx, log, slog.LevelWarn, textNothingKept)
	}
	if _, set := c.env.Lookup("GOGC"); !set {
		debug.SetGCPercent(serverGC)
	}
	opts := processOptions(c, settings, server, log)
	opts.Project = project
	return daemon.RunServer(ctx, opts, signals)
}

// processOptions are those of a server or agent that a command line starts.
func processOptions(c *call, settings config.Settings, server *config.Server, log *slog.Logger) daemon.Options {
	opts := daemon.Options{
		Settings: server, Sources: settings, Dir: c.env.Dir, Environ: c.env.Environ, Now: c.env.Now, Log: log,
		LogLevel: logging.ParseLevel(c.args.text("--log-level")), Program: c.program,
	}
	if file := c.args.text("--log"); file != "-" {
		opts.LogFile = file
	}
	return opts
}
