package serve

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Texts of server 1.9.6.
const (
	textMigrateCommand = "Invalid command"
	textMigrateCount   = "Invalid parameters"
	textNoUpdate       = "No update"
	textMigrated       = "Migrations successfully finished"
	textNoTable        = "No table exist"
)

// The forms of migrate. The last one is our own.
const (
	migrateRun   = "run"
	migrateCheck = "check"
	migrateFrom  = "from-digdag"
)

// Migrate returns the row of the command migrate.
func Migrate() cmd.Command {
	return cmd.Command{
		Name: "migrate", Section: cmd.SectionServer,
		Lines: []cmd.Line{
			{Form: "migrate (run|check)", Text: "bring the server's database up to date"},
			{Form: "migrate from-digdag", Text: "copy a Digdag database into the server's"},
		},
		Usage: []string{
			"migrate (run|check) run or check database migration",
			"migrate from-digdag [--from FILE | --from-url URL]    copy a Digdag database into an empty one",
		},
		Max: -1, Operand: cmd.OneOf(migrateRun, migrateCheck, migrateFrom),
		Options: []cmd.Option{
			cmd.TextOption("DIR", "folder of the database", "-o", "--database").Offering(cmd.AnyFolder),
			cmd.TextOption("FILE", "from-digdag: Digdag's configuration; default: both share the database of --config", "--from").Offering(cmd.AnyFile),
			cmd.TextOption("URL", "from-digdag: postgresql://USER:PASSWORD@HOST:PORT/DATABASE of Digdag", "--from-url"),
			cmd.IntOption("N", "from-digdag: the site to copy", "--site").Or("0"),
		},
		Run: runMigrate,
	}
}

// runMigrate brings the tables of a server's database up to date, checks whether they are, or copies a
// Digdag database into them.
func runMigrate(ctx context.Context, c *cmd.Call) error {
	if len(c.Args.Positional) != 1 {
		return c.UsageError(textMigrateCount).Hinting("migrate takes one of %s", textutil.CommaList([]string{migrateRun, migrateCheck, migrateFrom}))
	}
	var run func(context.Context, *cmd.Call, *config.Server) error
	switch c.Args.Positional[0] {
	case migrateRun:
		run = migrateDatabase
	case migrateCheck:
		run = checkMigration
	case migrateFrom:
		run = migrateFromDigdag
	default:
		return c.UsageError(textMigrateCommand).Hinting("%s", cmd.DidYouMean(cmd.NearWord(c.Args.Positional[0], []string{migrateRun, migrateCheck, migrateFrom})))
	}
	if c.Args.Positional[0] != migrateFrom {
		for _, option := range []string{"--from", "--from-url", "--site"} {
			if c.Args.Given(option) {
				return c.UsageError(option + " is an option of migrate " + migrateFrom)
			}
		}
	}
	if lack := c.LacksDatabase(); lack != nil {
		return lack
	}
	settings, err := cmd.DatabaseSettings(ctx, c)
	if err != nil {
		return err
	}
	return cmd.Interruptible(ctx, func(ctx context.Context) error { return run(ctx, c, settings) })
}

// migrateDatabase applies pending migrations. A database in memory is made and thrown away.
func migrateDatabase(ctx context.Context, c *cmd.Call, settings *config.Server) error {
	schema, err := database.ReadSchema(ctx, &settings.Database)
	if err != nil {
		return err
	}
	if len(schema.Pending) == 0 {
		terminal.Say(c.Env.Stdout, "%s\n", textNoUpdate)
		return nil
	}
	db, err := database.Open(ctx, &settings.Database, c.Env.Now())
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "%s\n", textMigrated)
	return nil
}

// checkMigration lists pending migrations.
func checkMigration(ctx context.Context, c *cmd.Call, settings *config.Server) error {
	schema, err := database.ReadSchema(ctx, &settings.Database)
	if err != nil {
		return err
	}
	switch {
	case !schema.Exists:
		terminal.Say(c.Env.Stdout, "%s\n", textNoTable)
	case len(schema.Pending) == 0:
		terminal.Say(c.Env.Stdout, "%s\n", textNoUpdate)
	default:
		for _, version := range schema.Pending {
			terminal.Say(c.Env.Stdout, "%s\n", version)
		}
	}
	return nil
}
