package cli

import (
	"context"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// versionRow is the row of the command version.
func versionRow() command {
	return command{
		name: "version", section: sectionOther, remote: true,
		lines: []line{{"version", "show the versions of client and server"}},
		usage: []string{"version"},
		max:   -1,
		run:   runVersion,
	}
}

// runVersion prints the versions of client and server (server 1.10.20), which need not fit.
func runVersion(ctx context.Context, c *call) error {
	terminal.Say(c.env.Stdout, "Client version: %s\n", version.Number)
	server, err := newClient(c)
	if err != nil {
		return err
	}
	defer server.Close()
	theirs, err := server.Version(ctx)
	if err != nil {
		terminal.Say(c.env.Stdout, "An error happened during getting Server version.\n")
		return err
	}
	terminal.Say(c.env.Stdout, "Server version: %s\n", theirs)
	return nil
}
