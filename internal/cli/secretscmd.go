package cli

import (
	"context"
	"fmt"
)

// runSecrets lists, sets and deletes secrets (server 1.10.19). This version has the local ones.
func runSecrets(_ context.Context, c *call) error {
	set, del := c.args.list("--set"), c.args.list("--delete")
	switch {
	case len(set) > 0 && len(del) > 0:
		return c.usage("Please specify only one of --set or --delete")
	case !c.args.given("--local") && c.args.given("--project"):
		return notPartOf("secrets --project")
	case !c.args.given("--local"):
		return c.usage("Please specify either --project or --local")
	}
	store, err := c.env.localSecrets()
	if err != nil {
		return err
	}
	switch {
	case len(set) > 0:
		return setSecrets(c, store, set)
	case len(del) > 0:
		return deleteSecrets(c, store, del)
	}
	keys, err := store.Keys()
	if err != nil {
		return err
	}
	for _, key := range keys {
		say(c.env.Stdout, "%s\n", key)
	}
	return nil
}

// setSecrets stores all items, or none if one of them is wrong.
func setSecrets(c *call, store localSecrets, items []string) error {
	secrets, err := readSecretItems(c, items)
	if err != nil {
		return err
	}
	for _, secret := range secrets {
		if err := store.Set(secret.key, secret.value); err != nil {
			return err
		}
		say(c.env.Stderr, "Secret '%s' set\n", secret.key)
	}
	return nil
}

// deleteSecrets deletes all keys, or none if one of them is no key.
func deleteSecrets(c *call, store localSecrets, keys []string) error {
	seen := map[string]bool{}
	for _, key := range keys {
		switch {
		case key == "":
			return c.usage("").hinting("--delete has an empty key")
		case seen[key]:
			return c.usage(fmt.Sprintf("Duplicate --delete secret key: '%s'", key))
		case !validSecretKey(key):
			return c.usage("Invalid secret key: "+key).hinting("%s", secretKeyHint)
		}
		seen[key] = true
	}
	for _, key := range keys {
		if err := store.Delete(key); err != nil {
			return err
		}
		say(c.env.Stderr, "Secret '%s' deleted\n", key)
	}
	return nil
}
