package cmd

import (
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/textutil"
)

// This file builds the commands that hints suggest. They reach the server of the command line that shows the hint.

// Hinted returns a command of this program for the same server. form has its words as typed in a shell: names are
// quoted, placeholders are left as they are.
func (c *Call) Hinted(form string) string {
	return c.OnServer(c.Program + " " + form)
}

// HintedToPeople is Hinted for texts of Digdag's. Programs may read these, so only people on a terminal get the options.
func (c *Call) HintedToPeople(form string) string {
	if !c.Env.Terminals.Stderr {
		return c.Program + " " + form
	}
	return c.Hinted(form)
}

// sameServer returns the options of the command line that name the server, as they were spelled. Credentials are left
// out, since others may see the command.
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

// OnServer adds these options to a command that was built elsewhere.
func (c *Call) OnServer(command string) string {
	if options := c.sameServer(); len(options) > 0 {
		command += " " + textutil.ShellLine(options...)
	}
	return command
}

// ServerCommand returns a command line for the same server, as typed in a shell, that starts this program as it was started.
func ServerCommand(c *Call, words ...string) string {
	return textutil.ShellLine(append(append(StartedAs(c), words...), c.sameServer()...)...)
}

// StartedAs returns what starts this program again from the same folder: its name, or its path if it was called by one.
// After go run it is that command, as the program itself is deleted when it ends.
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
