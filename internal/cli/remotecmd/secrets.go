package remotecmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/terminal"
)

// secretKeeper stores the secrets that a command works on: those of local runs or of a project.
type secretKeeper interface {
	// List returns the keys in alphabetical order.
	List(ctx context.Context) ([]string, error)
	Set(ctx context.Context, key, value string) error
	// Delete deletes a secret, if there is one.
	Delete(ctx context.Context, key string) error
}

// secretsRewriteWord is the argument with which all secrets are stored again.
const secretsRewriteWord = "rewrite"

// Secrets returns the row of the command secrets.
func Secrets() cmd.Command {
	return cmd.Command{
		Name: "secrets", Aliases: []string{"secret"}, Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "secrets --local | --project <project>", Text: "list, set and delete secrets"}},
		Usage: []string{
			"secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]",
			"secrets rewrite -o <dir> | -c <file>                  store all secrets of a database anew, bound to their projects and keys",
		},
		Max: 1, Operand: cmd.OneOf(secretsRewriteWord),
		Options: []cmd.Option{
			cmd.FlagOption("the secrets of local runs, in the user's configuration folder", "--local"),
			cmd.TextOption("PROJECT", "the secrets of a project on the server", "--project"),
			cmd.ListOption("ITEM", "KEY=VALUE, KEY=@FILE, KEY=- (value from standard input), KEY (asks for the value), "+
				"@FILE or @- (many, as YAML or JSON)", "--set"),
			cmd.ListOption("KEY", "delete secrets", "--delete"),
			cmd.TextOption("DIR", "rewrite: the database in this folder, rather than that of the file of --config", "-o", "--database").Offering(cmd.AnyFolder),
			jsonOption,
		},
		Run: runSecrets,
	}
}

// runSecrets lists, sets and deletes secrets (server 1.10.19). --local wins over --project.
func runSecrets(ctx context.Context, c *cmd.Call) error {
	if len(c.Args.Positional) > 0 {
		if c.Args.Positional[0] == secretsRewriteWord {
			return secretsRewrite(ctx, c)
		}
		return c.UsageError("").Hinting("secrets takes no argument but %s, not %s", secretsRewriteWord, c.Args.Positional[0])
	}
	set, del := c.Args.List("--set"), c.Args.List("--delete")
	switch {
	case len(set) > 0 && len(del) > 0:
		return c.UsageError("Please specify only one of --set or --delete")
	case !c.Args.Given("--local") && !c.Args.Given("--project"):
		return c.UsageError("Please specify either --project or --local")
	}
	secrets, err := readSecretItems(c, set)
	if err != nil {
		return err
	}
	if err := checkDeleted(c, del); err != nil {
		return err
	}
	keeper, err := openSecretKeeper(ctx, c)
	if err != nil {
		return err
	}
	switch {
	case len(set) > 0:
		return setSecrets(ctx, c, keeper, secrets)
	case len(del) > 0:
		return deleteSecrets(ctx, c, keeper, del)
	}
	return listSecrets(ctx, c, keeper)
}

// openSecretKeeper returns the secrets that the command line names.
func openSecretKeeper(ctx context.Context, c *cmd.Call) (secretKeeper, error) {
	if c.Args.Given("--local") {
		return c.Env.LocalSecrets()
	}
	server, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	project, err := findProject(ctx, server, c.Args.Text("--project"))
	if err != nil {
		return nil, err
	}
	return projectSecrets{server: server, project: project.ID}, nil
}

func listSecrets(ctx context.Context, c *cmd.Call, keeper secretKeeper) error {
	keys, err := keeper.List(ctx)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		list := api.SecretList{}
		for _, key := range keys {
			list.Secrets = append(list.Secrets, api.SecretKey{Key: key})
		}
		return cmd.PrintJSON(c, list)
	}
	for _, key := range keys {
		terminal.Say(c.Env.Stdout, "%s\n", key)
	}
	return nil
}

// setSecrets stores secrets that were checked. It stops at the first one that cannot be stored.
func setSecrets(ctx context.Context, c *cmd.Call, keeper secretKeeper, secrets []cmd.Pair) error {
	for _, secret := range secrets {
		if err := keeper.Set(ctx, secret.Key, secret.Value); err != nil {
			return err
		}
		terminal.Say(c.Env.Stderr, "Secret '%s' set\n", secret.Key)
	}
	return nil
}

// checkDeleted refuses all keys if one of them is not valid.
func checkDeleted(c *cmd.Call, keys []string) error {
	seen := map[string]bool{}
	for _, key := range keys {
		switch {
		case key == "":
			return c.UsageError("").Hinting("--delete has an empty key")
		case seen[key]:
			return c.UsageError(fmt.Sprintf("Duplicate --delete secret key: '%s'", key))
		case !secret.ValidKey(key):
			return c.UsageError("Invalid secret key: "+key).Hinting("%s", secret.KeyHint)
		}
		seen[key] = true
	}
	return nil
}

// deleteSecrets deletes the secrets of keys that were checked. It stops at the first one that cannot be deleted. On a
// terminal it says which keys did not exist; otherwise these count as deleted (server 1.10.19).
func deleteSecrets(ctx context.Context, c *cmd.Call, keeper secretKeeper, keys []string) error {
	there := keys
	if c.Env.Terminals.Stderr {
		if list, err := keeper.List(ctx); err == nil { // the caller may be allowed to delete but not to list
			there = list
		}
	}
	for _, key := range keys {
		if err := keeper.Delete(ctx, key); err != nil {
			return err
		}
		if !slices.Contains(there, key) {
			terminal.Say(c.Env.Stderr, "There is no secret '%s'\n", key)
			if near := cmd.NearWord(key, there); near != "" {
				terminal.Say(c.Env.Stderr, "%s\n", cmd.DidYouMean(near))
			}
			continue
		}
		terminal.Say(c.Env.Stderr, "Secret '%s' deleted\n", key)
	}
	return nil
}
