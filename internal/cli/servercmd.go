package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/secret"
)

// runServer runs a server until a signal ends it (server 1.9.4, 3.3).
func runServer(ctx context.Context, c *call) error {
	if text := c.serverConflict(); text == textNoDatabase {
		return c.usage(text).hinting("to try it out: trowel server --memory; to keep what it knows: trowel server --database DIR")
	} else if text != "" {
		return c.usage(text)
	}
	settings, err := c.serverSettings()
	if err != nil {
		return err
	}
	return c.serveLogged(ctx, func(ctx context.Context, log *slog.Logger, signals <-chan os.Signal) error {
		return c.serve(ctx, settings, log, signals, nil)
	})
}

// serveLogged runs a server with its log and its signals.
func (c *call) serveLogged(ctx context.Context, serve func(context.Context, *slog.Logger, <-chan os.Signal) error) error {
	logs, err := c.openLog(c.env.Stdout, "trowel.server")
	if err != nil {
		return err
	}
	logs.harmless = true
	signals, restore := catchSignals()
	defer restore()
	return errors.Join(serve(ctx, slog.New(logs), signals), logs.close())
}

// serverGC is the growth of memory, in percent, after which garbage is collected. A server's live memory is small, and
// with Go's default of 100 a busy one spends a fifth of its time on it.
const serverGC = 200

// serve starts all parts, waits for the end, and stops them in their order. local is nil, or the
// project that the server is for.
func (c *call) serve(ctx context.Context, settings config.Settings, log *slog.Logger, signals <-chan os.Signal, local *localFolder) error {
	server, err := c.readServer(ctx, settings, log)
	if err != nil {
		return err
	}
	if from := settings[keyDatabaseType].From; server.Database.Type == config.DatabaseMemory && from != fromMemory && from != fromScheduler {
		tell(ctx, log, slog.LevelWarn, textNothingKept)
	}
	if _, set := c.env.Lookup("GOGC"); !set {
		debug.SetGCPercent(serverGC)
	}
	own := secret.NewMask(secret.OwnChars)
	p := &serverProcess{call: c, id: uuid.NewString(), settings: server, own: own, log: slog.New(own.Handler(log.Handler())), local: local}
	p.secretFiles = secretFiles(ctx, c.env, settings, server, p.log)
	if err := p.open(ctx); err != nil {
		return errors.Join(err, p.close())
	}
	if err := p.start(ctx); err != nil {
		p.abandon()
		return errors.Join(err, p.close())
	}
	if local != nil {
		tell(ctx, log, slog.LevelInfo, p.outputPlace())
	}
	err = p.wait(ctx, signals)
	return errors.Join(err, p.stop(ctx, signals), p.close())
}
