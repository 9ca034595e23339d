package cli

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
)

// Complaints of server 1.9.4.
const (
	textNoDatabase   = "--database, --memory, or --config option is required"
	textTwoDatabases = "Setting both --database and --memory is invalid"
	fromMemory       = "--memory"
	textNothingKept  = "database=memory: everything is gone when this server ends; --database DIR keeps it, or database.type with its settings"
	keyDefaultParams = "digdag.defaultParams"
	keyDatabaseType  = "database.type"
	keyDatabasePath  = "database.path"
	keyDatabaseHost  = "database.host"
	keyLogType       = "log-server.type"
	keyLogPath       = "log-server.local.path"
)

// serverConflict is a complaint about options that do not go together, or that are missing.
func serverConflict(c *call) string {
	memory, database := c.args.given(fromMemory), c.args.given("--database")
	switch {
	case memory && database:
		return textTwoDatabases
	case !memory && !database && c.configPath == "":
		return textNoDatabase
	default:
		return ""
	}
}

// serverSettings are the settings with the options of the command line on top (server 1.9.4).
func serverSettings(c *call) (config.Settings, error) {
	base, err := c.config()
	if err != nil {
		return nil, err
	}
	settings := maps.Clone(base)
	for _, o := range []struct{ option, key string }{
		{"--bind", "server.bind"},
		{"--admin-bind", "server.admin.bind"},
		{"--port", "server.port"},
		{"--admin-port", "server.admin.port"},
		{"--max-task-threads", "agent.max-task-threads"},
		{"--access-log", "server.access-log.path"},
		{"--tls-cert", "server.tls.cert"},
		{"--tls-key", "server.tls.key"},
	} {
		if c.args.given(o.option) {
			settings[o.key] = config.Setting{Value: c.args.text(o.option), From: o.option}
		}
	}
	for _, o := range []struct{ option, key, value string }{
		{"--disable-local-agent", "agent.enabled", "false"},
		{"--disable-executor-loop", "server.executor.enabled", "false"},
		{"--disable-scheduler", "schedule.enabled", "false"},
		{"--enable-swagger", "server.enable-swagger", "true"},
		{"--insecure", "server.insecure", "true"},
		{fromMemory, keyDatabaseType, config.DatabaseMemory},
	} {
		if c.args.given(o.option) {
			settings[o.key] = config.Setting{Value: o.value, From: o.option}
		}
	}
	if c.args.given(fromMemory) { // what a file says of a database is not meant now
		delete(settings, keyDatabasePath)
		delete(settings, keyDatabaseHost)
	}
	if c.args.given("--database") {
		settings[keyDatabaseType] = config.Setting{Value: config.DatabaseSQLite, From: "--database"}
		settings[keyDatabasePath] = config.Setting{Value: c.env.path(c.args.text("--database")), From: "--database"}
	}
	if c.args.given("--task-log") {
		settings[keyLogType] = config.Setting{Value: "local", From: "--task-log"}
		settings[keyLogPath] = config.Setting{Value: c.env.path(c.args.text("--task-log")), From: "--task-log"}
	}
	for _, p := range c.args.pairs("--header") {
		settings["server.http.headers."+p.key] = config.Setting{Value: p.value, From: "--header"}
	}
	return settings, addDefaultParams(c, base, settings)
}

// addDefaultParams puts the parameters of the command line among the settings.
func addDefaultParams(c *call, base config.Settings, settings config.Settings) error {
	params, err := readParameters(c, base, c.env.readParams)
	if err != nil {
		return err
	}
	if params.Len() > 0 {
		settings[keyDefaultParams] = config.Setting{Value: param.JSON(params), From: "--param"}
	}
	return nil
}

// readServer checks the settings, and logs what it thinks of them.
func readServer(ctx context.Context, c *call, settings config.Settings, log *slog.Logger) (*config.Server, error) {
	server, warnings, err := config.Read(settings)
	for _, w := range warnings {
		logging.Print(ctx, log, w.Level, w.String())
	}
	if err != nil {
		return nil, errors.Join(err)
	}
	if server.Database.File != "" {
		server.Database.File = c.env.path(server.Database.File)
	}
	return server, nil
}

// databaseSettings reads where a server's database is, for commands with --database and --config.
// Settings that are not right are said on standard error.
func databaseSettings(ctx context.Context, c *call) (*config.Server, error) {
	settings, err := serverSettings(c)
	if err != nil {
		return nil, err
	}
	log := slog.New(&logging.Handler{To: c.env.Stderr, Level: slog.LevelWarn, Thread: "main", Class: "trowel", Harmless: true})
	return readServer(ctx, c, settings, log)
}
