package serve

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
)

// Agent returns the row of the command agent.
func Agent() cmd.Command {
	return cmd.Command{
		Name: "agent", Section: cmd.SectionServer, Extra: true,
		Lines: []cmd.Line{{Form: "agent", Text: "run tasks of a server on this machine"}},
		Usage: []string{"agent --server <url> --token <token>"},
		Options: []cmd.Option{
			cmd.ListOption("URL", "address of a server, e.g. https://trowel.example.com:65432; several of one database in a row, or with commas", "--server"),
			cmd.TextOption("TOKEN", "token of the role agent; better in the variable TROWEL_TOKEN, which others do not see", "--token"),
			cmd.TextOption("NAME", "what people know the agent by; default: process id and host", "--name"),
			cmd.TextOption("NAMES", "queues whose tasks it runs, with commas; default: default", "--queues"),
			cmd.TextOption("NAMES", "labels that it has, with commas", "--labels"),
			cmd.IntOption("N", "run at most N tasks at a time; default: 4 for each core", "--slots"),
			cmd.TextOption("DIR", "keep the files of tasks below this folder; default: the system's for temporary files", "--workspace").Offering(cmd.AnyFolder),
			cmd.TextOption("FILE", "certificates of authorities to trust, PEM, in place of the system's", "--ca-cert").Offering(cmd.AnyFile),
		},
		Run: runAgent,
	}
}

// runAgent runs tasks of a server until a signal ends it (docs/agents.md).
func runAgent(ctx context.Context, c *cmd.Call) error {
	settings, err := agentSettings(c)
	if err != nil {
		return err
	}
	logs, err := c.OpenLog(c.Env.Stdout, "trowel.agent")
	if err != nil {
		return err
	}
	logs.Harmless = true
	signals, restore := cmd.CatchSignals()
	defer restore()
	return errors.Join(serveAgent(ctx, c, settings, slog.New(logs), signals), logs.Close())
}

// serveAgent runs an agent.
func serveAgent(ctx context.Context, c *cmd.Call, settings config.Settings, log *slog.Logger, signals <-chan os.Signal) error {
	server, err := cmd.ReadServer(ctx, c, settings, log)
	if err != nil {
		return err
	}
	opts := processOptions(c, settings, server, log)
	opts.Workspaces = c.Args.Text("--workspace")
	return daemon.RunAgent(ctx, opts, signals)
}

// agentSettings returns the settings, overridden by the options of the command line.
func agentSettings(c *cmd.Call) (config.Settings, error) {
	base, err := c.Config()
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
		if c.Args.Given(o.option) {
			settings[o.key] = config.Setting{Value: c.Args.Text(o.option), From: o.option}
		}
	}
	if c.Args.Given("--slots") && c.Args.Number("--slots") < 1 {
		return nil, cmd.Complainf("--slots must be 1 or more")
	}
	if servers := c.Args.List("--server"); len(servers) > 0 {
		settings["agent.server"] = config.Setting{Value: strings.Join(servers, ","), From: "--server"}
	}
	if settings["agent.server"].Value == "" {
		return nil, c.UsageError("--server option is required").Hinting("name a server: trowel agent --server http://127.0.0.1:65432")
	}
	const token = "agent.token"
	if set, found := c.Env.LookupText(config.EnvToken); found {
		settings[token] = config.Setting{Value: strings.TrimSpace(set), From: config.EnvToken}
	}
	if c.Args.Given("--token") {
		settings[token] = config.Setting{Value: c.Args.Text("--token"), From: "--token"}
	}
	return settings, nil
}
