package cmd

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview/live"
	"github.com/trowel-project/trowel/internal/terminal"
)

// ZoneName returns the name of the system's time zone.
func (e Env) ZoneName() string {
	if name, set := e.LookupText("TZ"); set {
		return strings.TrimPrefix(name, ":")
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, found := strings.Cut(target, "zoneinfo/"); found {
			return name
		}
	}
	if name := e.Now().Location().String(); name != "Local" {
		return name
	}
	return "UTC"
}

// Colour reports whether standard error takes colours.
func (e Env) Colour() bool {
	_, no := e.LookupText("NO_COLOR")
	term, _ := e.Lookup("TERM")
	return e.Terminals.Stderr && !no && term != "dumb"
}

// ReadParams reads the file of --params-file.
func (e Env) ReadParams(path string) (*param.Map, error) {
	params, err := dig.ReadParams(e.Path(path))
	if known, ok := errors.AsType[*dig.Error](err); ok && known.Kind == dig.KindNoSuchFile {
		err = &fix.MissingFileError{Path: path}
	}
	return params, fix.UseParams.Failed(err)
}

// CanDraw reports whether the terminal can move its cursor.
func (e Env) CanDraw() bool {
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

// DrawsTree reports whether a live tree makes sense. It does not on the terminals of CI, which nobody watches and which
// keep every frame.
func DrawsTree(env Env) bool {
	if ci, set := env.LookupText("CI"); set && ci != "false" && ci != "0" {
		return false
	}
	return env.Terminals.Stdout && env.Terminals.Stderr && env.CanDraw()
}

// shownLevel returns the lowest level of log entries that a live tree shows: warnings, unless the
// command line says otherwise.
func shownLevel(c *Call) slog.Level {
	if c.Args.Given("--log-level") {
		return logging.ParseLevel(c.Args.Text("--log-level"))
	}
	return slog.LevelWarn
}

// LiveOptionsOf returns the options of a tree on the terminal of this command.
func LiveOptionsOf(c *Call) live.Options {
	env := c.Env.unguarded()
	return live.Options{Stdout: env.Stdout, Stderr: env.Stderr, Now: env.Now, Dir: env.Dir, Look: terminal.NewLook(env.Lookup), Level: shownLevel(c)}
}
