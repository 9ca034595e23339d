package cli

import (
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/textutil"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// This file makes the commands that hints name. They reach the server that the command line of the hint names.

// hinted is a command of this program for the same server. The form is its words for a shell, with names quoted and
// with placeholders as they are.
func (c *call) hinted(form string) string {
	return c.onServer(c.program + " " + form)
}

// hintedToPeople is hinted in a text of Digdag's, which programs read as it is: only people get the options.
func (c *call) hintedToPeople(form string) string {
	if !c.env.Terminals.Stderr {
		return c.program + " " + form
	}
	return c.hinted(form)
}

// sameServer are the options of the command line that say which server it is, as they were spelled. Those that sign in
// are left out: the command may be seen by others.
func (c *call) sameServer() []string {
	var words []string
	for _, p := range c.args.pairs("-X") {
		if p.key == config.KeyEndpoint && !c.args.given("--endpoint") {
			words = append(words, "-X", p.key+"="+p.value)
		}
	}
	if c.args.given("--endpoint") {
		words = append(words, c.args.spelling("--endpoint"), c.args.text("--endpoint"))
	}
	if c.configPath != "" {
		words = append(words, c.configSpelling, c.configPath)
	}
	return words
}

// onServer adds these options to a command that is made elsewhere.
func (c *call) onServer(command string) string {
	if options := c.sameServer(); len(options) > 0 {
		command += " " + textutil.ShellLine(options...)
	}
	return command
}

// serverCommand is a command line for the same server, for a shell, that starts this program as it was started.
func serverCommand(c *call, words ...string) string {
	return textutil.ShellLine(append(append(startedAs(c), words...), c.sameServer()...)...)
}

// startedAs is what starts this program once more from the same folder: its name or, where that is a
// path, the path. The program of go run is gone after the run.
func startedAs(c *call) []string {
	if len(c.env.Args) == 0 || !strings.ContainsRune(c.env.Args[0], filepath.Separator) {
		return []string{c.program}
	}
	build, known := debug.ReadBuildInfo()
	if known && strings.Contains(c.env.Args[0], string(filepath.Separator)+"go-build") {
		return []string{"go", "run", build.Path}
	}
	return c.env.Args[:1:1]
}
