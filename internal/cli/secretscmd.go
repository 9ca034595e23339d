package cli

import (
	"context"
	"fmt"
	"github.com/trowel-project/trowel/internal/secret"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/terminal"
)

// secretKeeper has the secrets that a command is about: those of local runs or of a project.
type secretKeeper interface {
	// List returns the keys in alphabetical order.
	List(ctx context.Context) ([]string, error)
	Set(ctx context.Context, key, value string) error
	// Delete deletes a secret, if there is one.
	Delete(ctx context.Context, key string) error
}

// secretsRewriteWord is the argument with which secrets are stored anew.
const secretsRewriteWord = "rewrite"

// secretsRow is the row of the command secrets.
func secretsRow() command {
	return command{
		name: "secrets", aliases: []string{"secret"}, section: sectionProject, remote: true,
		lines: []line{{"secrets --local | --project <project>", "list, set and delete secrets"}},
		usage: []string{
			"secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]",
			"secrets rewrite -o <dir> | -c <file>                  store all secrets of a database anew, bound to their projects and keys",
		},
		max: 1, operand: oneOf(secretsRewriteWord),
		options: []option{
			flagOption("the secrets of local runs, in the user's configuration folder", "--local"),
			textOption("PROJECT", "the secrets of a project on the server", "--project"),
			listOption("ITEM", "KEY=VALUE, KEY=@FILE, KEY=- (value from standard input), KEY (asks for the value), "+
				"@FILE or @- (many, as YAML or JSON)", "--set"),
			listOption("KEY", "delete secrets", "--delete"),
			textOption("DIR", "rewrite: the database in this folder, rather than that of the file of --config", "-o", "--database").offering(anyFolder),
			jsonOption,
		},
		run: runSecrets,
	}
}

// runSecrets lists, sets and deletes secrets (server 1.10.19). --local wins over --project.
func runSecrets(ctx context.Context, c *call) error {
	if len(c.args.positional) > 0 {
		if c.args.positional[0] == secretsRewriteWord {
			return secretsRewrite(ctx, c)
		}
		return c.usage("").hinting("secrets takes no argument but %s, not %s", secretsRewriteWord, c.args.positional[0])
	}
	set, del := c.args.list("--set"), c.args.list("--delete")
	switch {
	case len(set) > 0 && len(del) > 0:
		return c.usage("Please specify only one of --set or --delete")
	case !c.args.given("--local") && !c.args.given("--project"):
		return c.usage("Please specify either --project or --local")
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

// openSecretKeeper returns what the command line names.
func openSecretKeeper(ctx context.Context, c *call) (secretKeeper, error) {
	if c.args.given("--local") {
		return c.env.localSecrets()
	}
	server, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	project, err := findProject(ctx, server, c.args.text("--project"))
	if err != nil {
		return nil, err
	}
	return projectSecrets{server: server, project: project.ID}, nil
}

func listSecrets(ctx context.Context, c *call, keeper secretKeeper) error {
	keys, err := keeper.List(ctx)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		list := api.SecretList{}
		for _, key := range keys {
			list.Secrets = append(list.Secrets, api.SecretKey{Key: key})
		}
		return printJSON(c, list)
	}
	for _, key := range keys {
		terminal.Say(c.env.Stdout, "%s\n", key)
	}
	return nil
}

// setSecrets stores secrets that were checked. One that cannot be stored ends it.
func setSecrets(ctx context.Context, c *call, keeper secretKeeper, secrets []pair) error {
	for _, secret := range secrets {
		if err := keeper.Set(ctx, secret.key, secret.value); err != nil {
			return err
		}
		terminal.Say(c.env.Stderr, "Secret '%s' set\n", secret.key)
	}
	return nil
}

// checkDeleted refuses all keys if one of them is no key.
func checkDeleted(c *call, keys []string) error {
	seen := map[string]bool{}
	for _, key := range keys {
		switch {
		case key == "":
			return c.usage("").hinting("--delete has an empty key")
		case seen[key]:
			return c.usage(fmt.Sprintf("Duplicate --delete secret key: '%s'", key))
		case !secret.ValidKey(key):
			return c.usage("Invalid secret key: "+key).hinting("%s", secretKeyHint)
		}
		seen[key] = true
	}
	return nil
}

// deleteSecrets deletes the secrets of keys that were checked. One that cannot be deleted ends it. People on a
// terminal are told of keys that there are not; else those count as deleted (server 1.10.19).
func deleteSecrets(ctx context.Context, c *call, keeper secretKeeper, keys []string) error {
	there := keys
	if c.env.Terminals.Stderr {
		if list, err := keeper.List(ctx); err == nil { // who may delete may not be allowed to list
			there = list
		}
	}
	for _, key := range keys {
		if err := keeper.Delete(ctx, key); err != nil {
			return err
		}
		if !slices.Contains(there, key) {
			terminal.Say(c.env.Stderr, "There is no secret '%s'\n", key)
			if near := nearWord(key, there); near != "" {
				terminal.Say(c.env.Stderr, "%s\n", didYouMean(near))
			}
			continue
		}
		terminal.Say(c.env.Stderr, "Secret '%s' deleted\n", key)
	}
	return nil
}
