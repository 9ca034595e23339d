package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Texts of server 1.9.6.
const (
	textMigrateCommand  = "Invalid command"
	textMigrateCount    = "Invalid parameters"
	textMigrateDatabase = "--database, or --config option is required"
	textNoUpdate        = "No update"
	textMigrated        = "Migrations successfully finished"
	textNoTable         = "No table exist"
)

// The forms of migrate. The last one is ours.
const (
	migrateRun   = "run"
	migrateCheck = "check"
	migrateFrom  = "from-digdag"
)

// migrateRow is the row of the command migrate.
func migrateRow() command {
	return command{
		name: "migrate", section: sectionServer,
		lines: []line{
			{"migrate (run|check)", "bring the server's database up to date"},
			{"migrate from-digdag", "copy a Digdag database into the server's"},
		},
		usage: []string{
			"migrate (run|check) run or check database migration",
			"migrate from-digdag [--from FILE | --from-url URL]    copy a Digdag database into an empty one",
		},
		max: -1, operand: oneOf(migrateRun, migrateCheck, migrateFrom),
		options: []option{
			textOption("DIR", "folder of the database", "-o", "--database").offering(anyFolder),
			textOption("FILE", "from-digdag: Digdag's configuration; default: both share the database of --config", "--from").offering(anyFile),
			textOption("URL", "from-digdag: postgresql://USER:PASSWORD@HOST:PORT/DATABASE of Digdag", "--from-url"),
			intOption("N", "from-digdag: the site to copy", "--site").or("0"),
		},
		run: runMigrate,
	}
}

// runMigrate brings the tables of a server's database up to date, looks whether they are, or copies a
// Digdag database into them.
func runMigrate(ctx context.Context, c *call) error {
	if len(c.args.positional) != 1 {
		return c.usage(textMigrateCount).hinting("migrate takes one of %s", textutil.CommaList([]string{migrateRun, migrateCheck, migrateFrom}))
	}
	var run func(context.Context, *call, *config.Server) error
	switch c.args.positional[0] {
	case migrateRun:
		run = migrateDatabase
	case migrateCheck:
		run = checkMigration
	case migrateFrom:
		run = migrateFromDigdag
	default:
		return c.usage(textMigrateCommand).hinting("%s", didYouMean(nearWord(c.args.positional[0], []string{migrateRun, migrateCheck, migrateFrom})))
	}
	if c.args.positional[0] != migrateFrom {
		for _, option := range []string{"--from", "--from-url", "--site"} {
			if c.args.given(option) {
				return c.usage(option + " is an option of migrate " + migrateFrom)
			}
		}
	}
	if !c.args.given("--database") && c.configPath == "" {
		return c.usage(textMigrateDatabase)
	}
	settings, err := databaseSettings(ctx, c)
	if err != nil {
		return err
	}
	return interruptible(ctx, func(ctx context.Context) error { return run(ctx, c, settings) })
}

// migrateDatabase applies what is pending. A database in memory is made and thrown away.
func migrateDatabase(ctx context.Context, c *call, settings *config.Server) error {
	schema, err := database.ReadSchema(ctx, &settings.Database)
	if err != nil {
		return err
	}
	if len(schema.Pending) == 0 {
		terminal.Say(c.env.Stdout, "%s\n", textNoUpdate)
		return nil
	}
	db, err := database.Open(ctx, &settings.Database, c.env.Now())
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "%s\n", textMigrated)
	return nil
}

// checkMigration lists what is pending.
func checkMigration(ctx context.Context, c *call, settings *config.Server) error {
	schema, err := database.ReadSchema(ctx, &settings.Database)
	if err != nil {
		return err
	}
	switch {
	case !schema.Exists:
		terminal.Say(c.env.Stdout, "%s\n", textNoTable)
	case len(schema.Pending) == 0:
		terminal.Say(c.env.Stdout, "%s\n", textNoUpdate)
	default:
		for _, version := range schema.Pending {
			terminal.Say(c.env.Stdout, "%s\n", version)
		}
	}
	return nil
}
