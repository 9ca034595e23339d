package cli

import (
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
)

// selectDisplay chooses how a run is shown: as JSON if asked for, as a live tree to people whose
// standard output and standard error are terminals, and as Digdag does to everybody else.
func selectDisplay(c *call) runview.View {
	switch {
	case c.args.given("--json"):
		return runview.NewJSON(c.env.Stdout, c.env.Now)
	case drawsTree(c.env):
		return live.New(liveOptionsOf(c))
	default:
		return runview.NewPlain(c.env.Stdout, c.env.Stderr)
	}
}
