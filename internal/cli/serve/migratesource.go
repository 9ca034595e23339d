package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/store/postgres"
)

// Texts about --from and --from-url.
const (
	textTwoSources = "Setting both --from and --from-url is invalid"
	hintSource     = "--from FILE takes Digdag's own configuration, --from-url an address like postgresql://user:password@host:5432/digdag; " +
		"without them both programs share the database of --config"
	hintSourceURL = "it looks like postgresql://user:password@host:5432/digdag?sslmode=require&search_path=public"
)

// digdagDatabase returns how to connect to the database that is copied: that of --from or --from-url, or else
// the target itself, which both programs share.
func digdagDatabase(ctx context.Context, c *cmd.Call, target *config.Server) (postgres.Options, error) {
	file, address := c.Args.Given("--from"), c.Args.Given("--from-url")
	switch {
	case file && address:
		return postgres.Options{}, c.UsageError(textTwoSources)
	case file:
		return digdagFile(ctx, c, c.Args.Text("--from"))
	case address:
		return digdagURL(c.Args.Text("--from-url"))
	case target.Database.Type != config.DatabasePostgreSQL:
		return postgres.Options{}, c.UsageError("--from or --from-url option is required").Hinting("%s", hintSource)
	default:
		return database.PostgresOptions(&target.Database), nil
	}
}

// digdagFile reads database.* of Digdag's configuration file.
func digdagFile(ctx context.Context, c *cmd.Call, file string) (postgres.Options, error) {
	settings := config.Settings{}
	if err := cmd.AddFile(settings, c.Env, file); err != nil {
		return postgres.Options{}, err
	}
	for key := range settings {
		if !strings.HasPrefix(key, "database.") {
			delete(settings, key)
		}
	}
	kind := settings[cmd.KeyDatabaseType].Value
	if kind != config.DatabasePostgreSQL {
		if kind == "" {
			kind = config.DatabaseMemory // server 3.1
		}
		return postgres.Options{}, notPostgreSQL(kind, file)
	}
	read, err := cmd.ReadServer(ctx, c, settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return postgres.Options{}, err
	}
	return database.PostgresOptions(&read.Database), nil
}

// digdagURL reads the address of a database. Errors do not show it, as it may have a password.
func digdagURL(address string) (postgres.Options, error) {
	wrong := func(what string) (postgres.Options, error) {
		return postgres.Options{}, &trowel.Error{Kind: trowel.ErrInvalid, Message: "--from-url " + what, Hint: hintSourceURL}
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong("is no URL") // the error of the parser would show parts of it
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return wrong("does not begin with postgresql://")
	}
	opts := postgres.Options{Host: u.Hostname(), User: u.User.Username(), Database: strings.TrimPrefix(u.Path, "/"), SSLMode: "prefer"}
	opts.Password, _ = u.User.Password()
	if port := u.Port(); port != "" {
		if opts.Port, err = strconv.Atoi(port); err != nil {
			return wrong("has no number as its port")
		}
	}
	places := map[string]*string{
		"host": &opts.Host, "sslmode": &opts.SSLMode, "sslcert": &opts.SSLCert, "sslkey": &opts.SSLKey, "sslrootcert": &opts.SSLRootCert,
		"search_path": &opts.Schema,
	}
	for key, values := range u.Query() {
		place := places[key]
		if place == nil {
			return wrong(fmt.Sprintf("has a parameter %q, which is not known", key))
		}
		*place = values[len(values)-1]
	}
	if opts.Host == "" || opts.User == "" || opts.Database == "" {
		return wrong("needs a user, a host and a database")
	}
	return opts, nil
}
