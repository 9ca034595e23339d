package cli

import (
	"log/slog"
	"runtime"

	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
	"github.com/trowel-project/trowel/internal/terminal"
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

// liveOptionsOf are those of a tree on the terminal of this command.
func liveOptionsOf(c *call) live.Options {
	env := c.env.unguarded()
	return live.Options{Stdout: env.Stdout, Stderr: env.Stderr, Now: env.Now, Dir: env.Dir, Look: terminal.NewLook(env.Lookup), Level: shownLevel(c)}
}

// drawsTree reports whether a tree that moves is for somebody who looks at it. On the terminals of CI nobody
// does: they keep every frame.
func drawsTree(env Env) bool {
	if ci, set := env.lookupText("CI"); set && ci != "false" && ci != "0" {
		return false
	}
	return env.Terminals.Stdout && env.Terminals.Stderr && env.canDraw()
}

// shownLevel is the level from which on a live tree shows entries of the log: warnings, unless the
// command line says something else.
func shownLevel(c *call) slog.Level {
	if c.args.given("--log-level") {
		return logging.ParseLevel(c.args.text("--log-level"))
	}
	return slog.LevelWarn
}

// canDraw reports whether the terminal can move its cursor.
func (e Env) canDraw() bool {
	kind, _ := e.Lookup("TERM")
	switch {
	case kind == "dumb":
		return false
	case runtime.GOOS == "windows":
		return terminal.EnableSequences(terminal.FileBehind(e.Stderr))
	default:
		return kind != ""
	}
}
