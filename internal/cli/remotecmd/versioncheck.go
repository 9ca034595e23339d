package remotecmd

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// Texts of the check of versions (server 1.7.4).
const (
	textIncompatible = "This client version is not API compatible to the server (client: %s, server: %s)."
	textObsoleted    = "This client version is obsoleted. It is recommended to upgrade (client: %s, server: %s)."
)

// hintUpgrade replaces Digdag's advice, since its command selfupdate would install Digdag.
const hintUpgrade = "fix: this is Trowel " + version.Number + ", which stands for Digdag " + version.Digdag + ", and the server asks for more in the setting\n" +
	"server.client-version-check.%s: lower that, take a newer Trowel,\n" +
	"or go on all the same with --disable-version-check"

// settingVersionCheck says whether somebody is there to upgrade: batch or interactive. It is a
// system property in Digdag, so only -X sets it (server 1.5).
const settingVersionCheck = "io.digdag.cli.versionCheckMode"

// checkVersion asks the server whether it accepts this client (server 1.7.4).
func checkVersion(ctx context.Context, c *cmd.Call, server *client.Client) error {
	batch, err := batch(c)
	if err != nil {
		return err
	}
	check, err := server.CheckVersion(ctx)
	switch {
	case err != nil:
		return err
	case !check.APICompatible:
		return &cmd.ComplaintError{
			Text: fmt.Sprintf(textIncompatible, version.Digdag, check.ServerVersion),
			Hint: fmt.Sprintf(hintUpgrade, "api-incompatible-if-older"),
		}
	case !check.UpgradeRecommended:
		return nil
	}
	text, hint := fmt.Sprintf(textObsoleted, version.Digdag, check.ServerVersion), fmt.Sprintf(hintUpgrade, "upgrade-recommended-if-older")
	if batch {
		terminal.Say(c.Env.Stderr, "%s\n%s\n", text, hint)
		return nil
	}
	return &cmd.ComplaintError{Text: text, Hint: hint}
}

// batch reports whether no person is there to upgrade.
func batch(c *cmd.Call) (bool, error) {
	mode := ""
	for _, setting := range c.Args.Pairs("-X") {
		if setting.Key == settingVersionCheck {
			mode = setting.Value
		}
	}
	switch mode {
	case "":
		return !c.Env.Terminals.Stdin || !c.Env.Terminals.Stdout, nil
	case "batch":
		return true, nil
	case "interactive":
		return false, nil
	}
	return false, fmt.Errorf("%s must be batch or interactive, not %q", settingVersionCheck, mode)
}
