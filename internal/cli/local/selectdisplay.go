package local

import (
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
)

// selectDisplay chooses how a run is shown: as JSON with --json, as a live tree if
// standard output and standard error are terminals, and as Digdag does otherwise.
func selectDisplay(c *cmd.Call) runview.View {
	switch {
	case c.Args.Given("--json"):
		return runview.NewJSON(c.Env.Stdout, c.Env.Now)
	case cmd.DrawsTree(c.Env):
		return live.New(cmd.LiveOptionsOf(c))
	default:
		return runview.NewPlain(c.Env.Stdout, c.Env.Stderr)
	}
}
