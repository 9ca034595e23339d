package cmd

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
	TextNoDatabase   = "--database, --memory, or --config option is required"
	TextTwoDatabases = "Setting both --database and --memory is invalid"
	FromMemory       = "--memory"
	TextNothingKept  = "database=memory: everything is gone when this server ends; --database DIR keeps it, or database.type with its settings"
	keyDefaultParams = "digdag.defaultParams"
	KeyDatabaseType  = "database.type"
	keyDatabasePath  = "database.path"
	keyDatabaseHost  = "database.host"
	keyLogType       = "log-server.type"
	keyLogPath       = "log-server.local.path"
)

// ServerConflict returns a complaint about options that do not go together, or that are missing.
func ServerConflict(c *Call) string {
	memory, database := c.Args.Given(FromMemory), c.Args.Given("--database")
	switch {
	case memory && database:
		return TextTwoDatabases
	case !memory && !database && c.ConfigPath == "":
		return TextNoDatabase
	default:
		return ""
	}
}

// ServerSettings returns the settings, overridden by the options of the command line (server 1.9.4).
func ServerSettings(c *Call) (config.Settings, error) {
	base, err := c.Config()
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
		if c.Args.Given(o.option) {
			settings[o.key] = config.Setting{Value: c.Args.Text(o.option), From: o.option}
		}
	}
	for _, o := range []struct{ option, key, value string }{
		{"--disable-local-agent", "agent.enabled", "false"},
		{"--disable-executor-loop", "server.executor.enabled", "false"},
		{"--disable-scheduler", "schedule.enabled", "false"},
		{"--enable-swagger", "server.enable-swagger", "true"},
		{"--insecure", "server.insecure", "true"},
		{FromMemory, KeyDatabaseType, config.DatabaseMemory},
	} {
		if c.Args.Given(o.option) {
			settings[o.key] = config.Setting{Value: o.value, From: o.option}
		}
	}
	if c.Args.Given(FromMemory) { // what a file says of a database is not meant now
		delete(settings, keyDatabasePath)
		delete(settings, keyDatabaseHost)
	}
	if c.Args.Given("--database") {
		settings[KeyDatabaseType] = config.Setting{Value: config.DatabaseSQLite, From: "--database"}
		settings[keyDatabasePath] = config.Setting{Value: c.Env.Path(c.Args.Text("--database")), From: "--database"}
	}
	if c.Args.Given("--task-log") {
		settings[keyLogType] = config.Setting{Value: "local", From: "--task-log"}
		settings[keyLogPath] = config.Setting{Value: c.Env.Path(c.Args.Text("--task-log")), From: "--task-log"}
	}
	for _, p := range c.Args.Pairs("--header") {
		settings["server.http.headers."+p.Key] = config.Setting{Value: p.Value, From: "--header"}
	}
	return settings, addDefaultParams(c, base, settings)
}

// addDefaultParams adds the parameters of the command line to the settings.
func addDefaultParams(c *Call, base config.Settings, settings config.Settings) error {
	params, err := ReadParameters(c, base, c.Env.ReadParams)
	if err != nil {
		return err
	}
	if params.Len() > 0 {
		settings[keyDefaultParams] = config.Setting{Value: param.JSON(params), From: "--param"}
	}
	return nil
}

// ReadServer checks the settings and logs warnings about them.
func ReadServer(ctx context.Context, c *Call, settings config.Settings, log *slog.Logger) (*config.Server, error) {
	server, warnings, err := config.Read(settings)
	for _, w := range warnings {
		logging.Print(ctx, log, w.Level, w.String())
	}
	if err != nil {
		return nil, errors.Join(err)
	}
	if server.Database.File != "" {
		server.Database.File = c.Env.Path(server.Database.File)
	}
	return server, nil
}

// LacksDatabase is the complaint about a command line that does not say which database is meant; nil if it does (server 1.9.6).
func (c *Call) LacksDatabase() *ComplaintError {
	if c.Args.Given("--database") || c.ConfigPath != "" {
		return nil
	}
	return c.UsageError("--database, or --config option is required")
}

// DatabaseSettings reads where a server's database is, for commands with --database and --config.
// It writes warnings about settings to standard error.
func DatabaseSettings(ctx context.Context, c *Call) (*config.Server, error) {
	settings, err := ServerSettings(c)
	if err != nil {
		return nil, err
	}
	log := slog.New(&logging.Handler{To: c.Env.Stderr, Level: slog.LevelWarn, Thread: "main", Class: "trowel", Harmless: true})
	return ReadServer(ctx, c, settings, log)
}
