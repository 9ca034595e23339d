package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// keyKeepAttempts is the setting that db clean takes its limit from.
const keyKeepAttempts = "retention.attempts"

// runDB does what its argument says with a server's database: clean deletes what is old.
func runDB(ctx context.Context, c *call) error {
	if word := c.args.positional[0]; word != "clean" {
		return c.usage("Invalid command").hinting("db takes clean, not %s", word)
	}
	if !c.args.given("--database") && c.configPath == "" {
		return c.usage("--database, or --config option is required")
	}
	settings, err := c.databaseSettings(ctx)
	if err != nil {
		return err
	}
	if text := c.args.text("--older-than"); text != "" {
		if settings.KeepAttempts, err = param.ParseDuration(text); err != nil || settings.KeepAttempts <= 0 {
			return c.usage("--older-than must be a length of time, not " + strconv.Quote(text)).hinting("use days, hours, minutes and seconds, as in 30d")
		}
	}
	if settings.KeepAttempts == 0 {
		return c.usage("--older-than option is required").hinting("nothing is old while %s is keep", keyKeepAttempts)
	}
	return interruptible(ctx, func(ctx context.Context) error { return c.clean(ctx, settings) })
}

// clean deletes what is old, beside a server or without one, and says what it was, also of what it had
// deleted before it failed.
func (c *call) clean(ctx context.Context, settings *config.Server) error {
	log := slog.New(&logFormat{to: c.env.Stderr, level: slog.LevelWarn, thread: "main", class: "trowel", harmless: true})
	p := &serverProcess{call: c, settings: settings, log: log, meters: newMeters(c.env.Now)}
	store, err := c.openBeside(ctx, &settings.Database)
	if err != nil {
		return err
	}
	p.store = store
	p.onClose(store.Close)
	if err = p.openBlobs(ctx); err == nil {
		opts := p.retentionOptions()
		opts.DryRun = c.args.given("--dry-run")
		var result retention.Result
		result, err = retention.Clean(ctx, opts)
		say(c.env.Stdout, "%s\n", cleaned(result, opts.DryRun))
	}
	return errors.Join(err, p.close())
}

// cleaned says what a pass has deleted, or would delete.
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

// openBeside opens a server's database, which must exist, while the server may be using it. So it does
// not change its tables: one of another version is refused.
func (c *call) openBeside(ctx context.Context, d *config.Database) (trowel.Store, error) {
	if d.Type == config.DatabasePostgreSQL {
		opts := postgresOptions(d)
		opts.KeepSchema = true
		db, err := postgres.Open(ctx, opts, c.env.Now())
		return db, databaseFix(err)
	}
	if d.Type == config.DatabaseMemory {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "a database in memory is gone with its server",
			Hint: "name the database with --database, or with the settings database.* in the file of --config",
		}
	}
	if _, err := os.Stat(d.File); err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrNotFound, Message: "cannot use the database", Where: d.File, Err: reason(err),
			Hint: "--database names the folder that the server has as --database; migrate run makes one",
		}
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true, KeepSchema: true, Wait: time.Minute}, c.env.Now())
	return db, databaseFix(err)
}
