package serve

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/terminal"
)

// keyKeepAttempts is the setting with the default limit of db clean.
const keyKeepAttempts = "retention.attempts"

// DB returns the row of the command db.
func DB() cmd.Command {
	return cmd.Command{
		Name: "db", Section: cmd.SectionServer, Extra: true,
		Lines: []cmd.Line{{Form: "db clean", Text: "delete old attempts from the server's database"}},
		Usage: []string{"db clean [--older-than 30d] [--dry-run]"},
		Min:   1, Max: 1, Operand: cmd.OneOf("clean"),
		Options: []cmd.Option{
			cmd.TextOption("DIR", "folder of the database", "-o", "--database").Offering(cmd.AnyFolder),
			cmd.TextOption("LENGTH", "delete attempts that ended so long ago, as in 30d; default: the setting retention.attempts", "--older-than"),
			cmd.FlagOption("show what would be deleted", "-d", "--dry-run"),
		},
		Run: runDB,
	}
}

// runDB runs a subcommand on a server's database: clean deletes what is old.
func runDB(ctx context.Context, c *cmd.Call) error {
	if word := c.Args.Positional[0]; word != "clean" {
		return c.UsageError("Invalid command").Hinting("db takes clean, not %s", word)
	}
	if lack := c.LacksDatabase(); lack != nil {
		return lack
	}
	settings, err := cmd.DatabaseSettings(ctx, c)
	if err != nil {
		return err
	}
	if text := c.Args.Text("--older-than"); text != "" {
		if settings.KeepAttempts, err = param.ParseDuration(text); err != nil || settings.KeepAttempts <= 0 {
			return c.UsageError("--older-than must be a length of time, not " + strconv.Quote(text)).Hinting("use days, hours, minutes and seconds, as in 30d")
		}
	}
	if settings.KeepAttempts == 0 {
		return c.UsageError("--older-than option is required").Hinting("nothing is old while %s is keep", keyKeepAttempts)
	}
	return cmd.Interruptible(ctx, func(ctx context.Context) error { return cleanDatabase(ctx, c, settings) })
}

// cleanDatabase deletes what is old, while a server runs or not. It says what it has deleted, also if it failed after
// that.
func cleanDatabase(ctx context.Context, c *cmd.Call, settings *config.Server) error {
	log := slog.New(&logging.Handler{To: c.Env.Stderr, Level: slog.LevelWarn, Thread: "main", Class: "trowel", Harmless: true})
	store, err := database.OpenBeside(ctx, &settings.Database, c.Env.Now())
	if err != nil {
		return err
	}
	dry := c.Args.Given("--dry-run")
	result, err := daemon.Clean(ctx, processOptions(c, nil, settings, log), store, dry)
	if result != nil {
		terminal.Say(c.Env.Stdout, "%s\n", cleaned(*result, dry))
	}
	return errors.Join(err, store.Close())
}

// cleaned describes what was deleted, or would be.
func cleaned(result retention.Result, dry bool) string {
	var parts []string
	for _, n := range result.Counts() {
		if n.N > 0 {
			parts = append(parts, strconv.Itoa(n.N)+" "+n.What+map[bool]string{true: "", false: "s"}[n.N == 1])
		}
	}
	switch {
	case len(parts) == 0 && dry:
		return "Nothing would be deleted."
	case len(parts) == 0:
		return "Nothing was deleted."
	case dry:
		return "Would delete " + strings.Join(parts, ", ") + ", and what only these refer to."
	default:
		return "Deleted " + strings.Join(parts, ", ") + "."
	}
}
