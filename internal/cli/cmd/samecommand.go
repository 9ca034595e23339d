package cmd

import (
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/textutil"
)

// This file makes the commands that hints name. They reach the server that the command line of the hint names.

// Hinted is a command of this program for the same server. The form is its words for a shell, with names quoted and
// with placeholders as they are.
func (c *Call) Hinted(form string) string {
	return c.OnServer(c.Program + " " + form)
}

// HintedToPeople is hinted in a text of Digdag's, which programs read as it is: only people get the options.
func (c *Call) HintedToPeople(form string) string {
	if !c.Env.Terminals.Stderr {
		return c.Program + " " + form
	}
	return c.Hinted(form)
}

// sameServer are the options of the command line that say which server it is, as they were spelled. Those that sign in
// are left out: the command may be seen by others.
func (c *Call) sameServer() []string {
	var words []string
	for _, p := range c.Args.Pairs("-X") {
		if p.Key == config.KeyEndpoint && !c.Args.Given("--endpoint") {
			words = append(words, "-X", p.Key+"="+p.Value)
		}
	}
	if c.Args.Given("--endpoint") {
		words = append(words, c.Args.spelling("--endpoint"), c.Args.Text("--endpoint"))
	}
	if c.ConfigPath != "" {
		words = append(words, c.configSpelling, c.ConfigPath)
	}
	return words
}

// OnServer adds these options to a command that is made elsewhere.
func (c *Call) OnServer(command string) string {
	if options := c.sameServer(); len(options) > 0 {
		command += " " + textutil.ShellLine(options...)
	}
	return command
}

// ServerCommand is a command line for the same server, for a shell, that starts this program as it was started.
func ServerCommand(c *Call, words ...string) string {
	return textutil.ShellLine(append(append(StartedAs(c), words...), c.sameServer()...)...)
}

// StartedAs is what starts this program once more from the same folder: its name or, where that is a
// path, the path. The program of go run is gone after the run.
func StartedAs(c *Call) []string {
	if len(c.Env.Args) == 0 || !strings.ContainsRune(c.Env.Args[0], filepath.Separator) {
		return []string{c.Program}
	}
	build, known := debug.ReadBuildInfo()
	if known && strings.Contains(c.Env.Args[0], string(filepath.Separator)+"go-build") {
		return []string{"go", "run", build.Path}
	}
	return c.Env.Args[:1:1]
}
