package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
)

// Server returns the row of the command server.
func Server() cmd.Command {
	return cmd.Command{
		Name: "server", Section: cmd.SectionServer,
		Lines:   []cmd.Line{{Form: "server", Text: "run a server with API and schedules"}},
		Usage:   []string{"server [options...]"},
		Options: cmd.Options(cmd.ServerOptions, cmd.ParamOptions),
		Run:     runServer,
	}
}

// runServer runs a server until a signal ends it (server 1.9.4, 3.3).
func runServer(ctx context.Context, c *cmd.Call) error {
	if text := cmd.ServerConflict(c); text == cmd.TextNoDatabase {
		return c.UsageError(text).Hinting("to try it out: trowel server --memory; to keep what it knows: trowel server --database DIR")
	} else if text != "" {
		return c.UsageError(text)
	}
	settings, err := cmd.ServerSettings(c)
	if err != nil {
		return err
	}
	return serveLogged(ctx, c, func(ctx context.Context, log *slog.Logger, signals <-chan os.Signal) error {
		return runServerProcess(ctx, c, settings, log, signals, "")
	})
}

// serveLogged runs a server with its log and its signals.
func serveLogged(ctx context.Context, c *cmd.Call, serve func(context.Context, *slog.Logger, <-chan os.Signal) error) error {
	logs, err := c.OpenLog(c.Env.Stdout, "trowel.server")
	if err != nil {
		return err
	}
	logs.Harmless = true
	signals, restore := cmd.CatchSignals()
	defer restore()
	return errors.Join(serve(ctx, slog.New(logs), signals), logs.Close())
}

// serverGC is the growth of memory, in percent, after which garbage is collected. A server uses little memory, and
// with Go's default of 100 a busy one would spend a fifth of its time on this.
const serverGC = 200

// runServerProcess runs a server, either for all projects or for the one in a folder.
func runServerProcess(ctx context.Context, c *cmd.Call, settings config.Settings, log *slog.Logger, signals <-chan os.Signal, project string) error {
	server, err := cmd.ReadServer(ctx, c, settings, log)
	if err != nil {
		return err
	}
	if from := settings[cmd.KeyDatabaseType].From; server.Database.Type == config.DatabaseMemory && from != cmd.FromMemory && from != fromScheduler {
		logging.Print(ctx, log, slog.LevelWarn, cmd.TextNothingKept)
	}
	if _, set := c.Env.Lookup("GOGC"); !set {
		debug.SetGCPercent(serverGC)
	}
	opts := processOptions(c, settings, server, log)
	opts.Project = project
	return daemon.RunServer(ctx, opts, signals)
}

// processOptions returns the options of a server or agent that a command line starts.
func processOptions(c *cmd.Call, settings config.Settings, server *config.Server, log *slog.Logger) daemon.Options {
	opts := daemon.Options{
		Settings: server, Sources: settings, Dir: c.Env.Dir, Environ: c.Env.Environ, Now: c.Env.Now, Log: log,
		LogLevel: logging.ParseLevel(c.Args.Text("--log-level")), Program: c.Program,
	}
	if file := c.Args.Text("--log"); file != "-" {
		opts.LogFile = file
	}
	return opts
}
