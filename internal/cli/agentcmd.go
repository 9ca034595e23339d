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

// agentRow is the row of the command agent.
func agentRow() command {
	return command{
		name: "agent", section: sectionServer, extra: true,
		lines: []line{{"agent", "run tasks of a server on this machine"}},
		usage: []string{"agent --server <url> --token <token>"},
		options: []option{
			listOption("URL", "address of a server, e.g. https://trowel.example.com:65432; several of one database in a row, or with commas", "--server"),
			textOption("TOKEN", "token of the role agent; better in the variable TROWEL_TOKEN, which others do not see", "--token"),
			textOption("NAME", "what people know the agent by; default: process id and host", "--name"),
			textOption("NAMES", "queues whose tasks it runs, with commas; default: default", "--queues"),
			textOption("NAMES", "labels that it has, with commas", "--labels"),
			intOption("N", "run at most N tasks at a time; default: 4 for each core", "--slots"),
			textOption("DIR", "keep the files of tasks below this folder; default: the system's for temporary files", "--workspace").offering(anyFolder),
			textOption("FILE", "certificates of authorities to trust, PEM, in place of the system's", "--ca-cert").offering(anyFile),
		},
		run: runAgent,
	}
}

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
