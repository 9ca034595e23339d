package remotecmd

import (
	"context"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// secretsRewrite runs `trowel secrets rewrite` on the database itself, while servers may run: it encrypts all secrets
// again with the present key, bound to their project and key.
func secretsRewrite(ctx context.Context, c *cmd.Call) error {
	for _, option := range []string{"--local", "--project", "--set", "--delete"} {
		if c.Args.Given(option) {
			return c.UsageError(option + " is no option of secrets " + secretsRewriteWord)
		}
	}
	if lack := c.LacksDatabase(); lack != nil {
		return lack.Hinting("the secrets are rewritten in the database itself: name that of the servers, with their key")
	}
	settings, err := cmd.DatabaseSettings(ctx, c)
	if err != nil {
		return err
	}
	store, err := database.OpenBeside(ctx, &settings.Database, c.Env.Now())
	if err != nil {
		return err
	}
	return errors.Join(rewriteAndSay(ctx, c, settings, store), store.Close())
}

func rewriteAndSay(ctx context.Context, c *cmd.Call, settings *config.Server, store trowel.Store) error {
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
		record := trowel.AuditRecord{Action: "secret.rewrite", ObjectKind: "secret", Object: "all secrets"}
		return (&tokenStore{store: store, now: c.Env.Now}).record(ctx, tx, record)
	})
	if err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "%s rewritten.\n", textutil.Plural(done.Secrets, "secret"))
	if done.Bound {
		terminal.Say(c.Env.Stdout, "All are bound to their projects and keys; the older form is not read any more.\n")
	}
	if len(done.Failed) == 0 {
		return nil
	}
	for _, f := range done.Failed {
		terminal.Say(c.Env.Stderr, "%s of project %s: %s\n", f.Key, names[f.Project], cmd.ErrorText(f.Err))
	}
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: fmt.Sprintf("%s cannot be read", textutil.Plural(len(done.Failed), "secret")),
		Hint: "add the key that they were stored with to secret.old_encryption_keys, or set or delete them; then rewrite again",
	}
}
