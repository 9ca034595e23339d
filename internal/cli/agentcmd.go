package cli

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
)

// runAgent runs tasks of a server until a signal ends it (docs/agents.md).
func runAgent(ctx context.Context, c *call) error {
	settings, err := agentSettings(c)
	if err != nil {
		return err
	}
	logs, err := c.openLog(c.env.Stdout, "trowel.agent")
	if err != nil {
		return err
	}
	logs.Harmless = true
	signals, restore := catchSignals()
	defer restore()
	return errors.Join(serveAgent(ctx, c, settings, slog.New(logs), signals), logs.Close())
}

// serveAgent runs an agent.
func serveAgent(ctx context.Context, c *call, settings config.Settings, log *slog.Logger, signals <-chan os.Signal) error {
	server, err := readServer(ctx, c, settings, log)
	if err != nil {
		return err
	}
	opts := processOptions(c, settings, server, log)
	opts.Workspaces = c.args.text("--workspace")
	return daemon.RunAgent(ctx, opts, signals)
}

// agentSettings are the settings with the options of the command line on top.
func agentSettings(c *call) (config.Settings, error) {
	base, err := c.config()
	if err != nil {
		return nil, err
	}
	settings := maps.Clone(base)
	for _, o := range []struct{ option, key string }{
		{"--name", "agent.id"},
		{"--queues", "agent.queues"},
		{"--labels", "agent.labels"},
		{"--slots", "agent.max-task-threads"},
		{"--ca-cert", "agent.ca-cert"},
	} {
		if c.args.given(o.option) {
			settings[o.key] = config.Setting{Value: c.args.text(o.option), From: o.option}
		}
	}
	if c.args.given("--slots") && c.args.number("--slots") < 1 {
		return nil, complainf("--slots must be 1 or more")
	}
	if servers := c.args.list("--server"); len(servers) > 0 {
		settings["agent.server"] = config.Setting{Value: strings.Join(servers, ","), From: "--server"}
	}
	if settings["agent.server"].Value == "" {
		return nil, c.usage("--server option is required").hinting("name a server: trowel agent --server http://127.0.0.1:65432")
	}
	const token = "agent.token"
	if set, found := c.env.lookupText(config.EnvToken); found {
		settings[token] = config.Setting{Value: strings.TrimSpace(set), From: config.EnvToken}
	}
	if c.args.given("--token") {
		settings[token] = config.Setting{Value: c.args.text("--token"), From: "--token"}
	}
	return settings, nil
}
