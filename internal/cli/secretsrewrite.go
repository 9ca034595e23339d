package cli

import (
	"context"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// secretsRewrite is what `trowel secrets rewrite` does, beside the servers of a database: all secrets get the
// form that is bound to project and key, with the present key.
func secretsRewrite(ctx context.Context, c *call) error {
	for _, option := range []string{"--local", "--project", "--set", "--delete"} {
		if c.args.given(option) {
			return c.usage(option + " is no option of secrets " + secretsRewriteWord)
		}
	}
	if !c.args.given("--database") && c.configPath == "" {
		return c.usage("--database, or --config option is required").hinting("the secrets are rewritten in the database itself: name that of the servers, with their key")
	}
	settings, err := databaseSettings(ctx, c)
	if err != nil {
		return err
	}
	store, err := database.OpenBeside(ctx, &settings.Database, c.env.Now())
	if err != nil {
		return err
	}
	return errors.Join(rewriteAndSay(ctx, c, settings, store), store.Close())
}

func rewriteAndSay(ctx context.Context, c *call, settings *config.Server, store trowel.Store) error {
	crypter, err := keyring.Configured(settings)
	if err != nil {
		return err
	}
	var done secret.Rewritten
	names := map[trowel.ProjectID]string{}
	err = store.Update(ctx, func(tx trowel.Tx) error {
		if done, err = crypter.Rewrite(ctx, tx); err != nil {
			return err
		}
		for _, f := range done.Failed {
			p, err := tx.FindProjectByID(ctx, f.Project)
			if err != nil {
				return err
			}
			names[f.Project] = p.Name
		}
		record := trowel.Record{Action: "secret.rewrite", ObjectKind: "secret", Object: "all secrets"}
		return (&tokenStore{store: store, now: c.env.Now}).record(ctx, tx, record)
	})
	if err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "%s rewritten.\n", textutil.Plural(done.Secrets, "secret"))
	if done.Bound {
		terminal.Say(c.env.Stdout, "All are bound to their projects and keys; the older form is not read any more.\n")
	}
	if len(done.Failed) == 0 {
		return nil
	}
	for _, f := range done.Failed {
		terminal.Say(c.env.Stderr, "%s of project %s: %s\n", f.Key, names[f.Project], errorText(f.Err))
	}
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: fmt.Sprintf("%s cannot be read", textutil.Plural(len(done.Failed), "secret")),
		Hint: "add the key that they were stored with to secret.old_encryption_keys, or set or delete them; then rewrite again",
	}
}
