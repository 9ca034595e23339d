package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// Version returns the row of the command version.
func Version() cmd.Command {
	return cmd.Command{
		Name: "version", Section: cmd.SectionOther, Remote: true,
		Lines: []cmd.Line{{Form: "version", Text: "show the versions of client and server"}},
		Max:   -1,
		Run:   runVersion,
	}
}

// runVersion prints the versions of client and server (server 1.10.20). They need not match.
func runVersion(ctx context.Context, c *cmd.Call) error {
	terminal.Say(c.Env.Stdout, "Client version: %s\n", version.Number)
	server, err := newClient(c)
	if err != nil {
		return err
	}
	defer server.Close()
	theirs, err := server.Version(ctx)
	if err != nil {
		terminal.Say(c.Env.Stdout, "An error happened during getting Server version.\n")
		return err
	}
	terminal.Say(c.Env.Stdout, "Server version: %s\n", theirs)
	return nil
}
