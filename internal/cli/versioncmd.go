package cli

import (
	"context"
	"io"
	"time"

	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// clockFormat is how Digdag prints a time of the system's zone (server 1.8).
const clockFormat = "2006-01-02 15:04:05 -0700"

// writeBanner writes the line that precedes everything else on standard error (server 1.1).
func writeBanner(w io.Writer, now time.Time) {
	terminal.Say(w, "%s: Trowel v%s\n", now.Format(clockFormat), version.Number)
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
