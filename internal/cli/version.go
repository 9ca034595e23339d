package cli

import (
	"context"
	"io"
	"time"
)

// version is the version of this program, in the grammar of server 2.6.1: numbers with dots, and
// perhaps a qualifier after a hyphen.
const version = "0.1.0"

// clockFormat is how Digdag prints a time of the system's zone (server 1.8).
const clockFormat = "2006-01-02 15:04:05 -0700"

// writeBanner writes the line that precedes everything else on standard error (server 1.1).
func writeBanner(w io.Writer, now time.Time) {
	say(w, "%s: Trowel v%s\n", now.Format(clockFormat), version)
}

// runVersion prints the client's version (server 1.10.20). This version has no client that could
// ask a server for its own: that is said on standard error, and is an error only if the command
// line names a server.
func runVersion(_ context.Context, c *call) error {
	say(c.env.Stdout, "Client version: %s\n", version)
	if c.args.given("--endpoint") {
		return notPartOf("asking a server for its version")
	}
	say(c.env.Stderr, "Asking a server for its version is not part of this version.\n")
	return nil
}
