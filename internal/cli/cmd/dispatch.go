package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
	"github.com/trowel-project/trowel/internal/version"
)

// Call is a command line that was parsed, and all that its command may use.
type Call struct {
	Env      Env       // the environment of the command
	Program  string    // name of the program in usage and hints
	commands []Command // the table
	explain  func(c *Call, err error) string
	Command  *Command   // nil if the command line names none
	Args     *Arguments // its values
	// ConfigPath is the file of --config, before or after the command; empty if it is not given.
	ConfigPath     string
	configSpelling string // of that option
	// SignedBy names the credentials of the requests, for people; empty if there are none.
	SignedBy string
}

// Program is a command line program.
type Program struct {
	Commands []Command // in the order of usage texts
	// Explain returns the text that people read about the error that ends a command.
	Explain func(c *Call, err error) string
}

// Run runs a command line and returns the exit code of the process. It prints everything there is to print, including
// errors. Canceling ctx stops a command that takes time.
func Run(ctx context.Context, env Env, p Program) (exit int) {
	if len(env.Args) > 0 && slices.Contains(env.Args[1:], "--version") { // server 1.1: whatever else is there
		terminal.Say(env.Stdout, "%s\n", version.Number)
		return ExitSuccess
	}
	defer catchPipes()()
	out := &keptWriter{w: env.Stdout}
	env.Stdout = out
	defer env.guardTerminals()()
	c, err := Read(env, p)
	if c.Command == nil || !c.Command.Extra { // the output of ours goes to pipes and start-up files
		writeBanner(env.Stderr, env.Now())
	}
	if err == nil {
		err = c.Command.Run(ctx, c)
	}
	if lost := out.failed(); err == nil && lost != nil {
		err = fix.UseOutput.Failed(fmt.Errorf("write standard output: %w", fix.Reason(lost)))
	}
	return c.exitCode(err)
}

// Read parses a command line without running its command.
func Read(env Env, p Program) (*Call, error) {
	c := &Call{Env: env, Program: env.programName(), commands: p.Commands, explain: p.Explain}
	var raw []string
	if len(env.Args) > 0 {
		raw = env.Args[1:]
	}
	return c, c.read(raw)
}

// exitCode prints an error, if there is one, and returns the exit code.
func (c *Call) exitCode(err error) int {
	if err == nil {
		return ExitSuccess
	}
	if wrong, ok := errors.AsType[*ComplaintError](err); ok {
		return wrong.report(c.Env.Stderr, c.Env.Terminals.Stderr)
	}
	if silent, ok := errors.AsType[*ExitError](err); ok {
		return silent.Code
	}
	terminal.Say(c.Env.Stderr, "error: %s\n", c.explain(c, err))
	return ExitFailure
}

// read finds the command and reads its arguments. The checks come in Digdag's order (server 1.1).
func (c *Call) read(raw []string) error {
	head, rest, err := parseHead(mainOptions, raw)
	if err != nil {
		return c.strayOption(err)
	}
	if len(rest) == 0 {
		return c.globalUsage("")
	}
	name := bare(rest[0])
	c.Command = find(c.commands, name)
	if c.Command == nil {
		return c.unknownCommand(name)
	}
	c.Args, err = parse(c.Command.AllOptions(), rest[1:])
	if err != nil {
		return c.withOptions(err)
	}
	if head.Given("--help") {
		return c.globalUsage("")
	}
	if c.Args.Given("--help") {
		return c.UsageError("")
	}
	if level := c.Args.Text("--log-level"); !slices.Contains(logLevels, level) {
		return c.globalUsage(fmt.Sprintf("Unknown log level '%s'", level)).
			Hinting("the levels are %s", textutil.CommaList(logLevels))
	}
	if c.Command.Run == nil {
		return NotPartOf(c.Command.Name)
	}
	c.ConfigPath, c.configSpelling = c.Args.Text("--config"), c.Args.spelling("--config")
	if c.ConfigPath == "" {
		c.ConfigPath, c.configSpelling = head.Text("--config"), head.spelling("--config")
	}
	if c.Command.Refuse != nil {
		if text := c.Command.Refuse(c.Args); text != "" {
			return c.UsageError(text)
		}
	}
	return c.checkCount()
}

// withOptions adds where options are listed, if an unknown option is similar to none.
func (c *Call) withOptions(err error) error {
	wrong, ok := errors.AsType[*ComplaintError](err)
	if ok && wrong.Hint == "" && strings.HasPrefix(wrong.Text, strings.TrimSuffix(textUnknownOption, "%s")) {
		return wrong.Hinting("`%s %s --help` shows the options", c.Program, c.Command.Name)
	}
	return err
}

// checkCount refuses a wrong number of positional arguments. As in Digdag the usage is shown and the command succeeds;
// a command that Digdag does not have fails.
func (c *Call) checkCount() error {
	given, least, most := len(c.Args.Positional), c.Command.Min, c.Command.Max
	if given >= least && (given <= most || most < 0) {
		return nil
	}
	wanted := textutil.Plural(most, "argument")
	switch {
	case most == 0:
		wanted = "no arguments"
	case least != most:
		wanted = fmt.Sprintf("%d to %s", least, wanted)
	}
	text := fmt.Sprintf("%s takes %s, not %d", c.Command.Name, wanted, given)
	if c.Command.Extra {
		return c.UsageError(text)
	}
	return c.UsageError("").Hinting("%s", text)
}

// strayOption returns the complaint about a wrong option before the command. Digdag shows its usage and
// succeeds.
func (c *Call) strayOption(err error) error {
	wrong := c.globalUsage("")
	if cause, ok := errors.AsType[*ComplaintError](err); ok {
		wrong.Hint = cause.Text + "\noptions stand after the command: " + c.Program + " <command> [options...]"
	}
	return wrong
}

// unknownCommand returns the complaint about a first argument that names no command.
func (c *Call) unknownCommand(name string) error {
	var names []string
	for i := range c.commands {
		names = append(names, c.commands[i].Name)
	}
	near := nearCommand(c.commands, name)
	if strings.HasSuffix(name, ".dig") {
		near = "run " + name
	}
	if near != "" {
		near = c.Program + " " + near
	}
	wrong := c.globalUsage(fmt.Sprintf("available commands are: [%s]", textutil.CommaList(names)))
	wrong.own = fmt.Sprintf("%s is no command of %s", name, c.Program)
	if c.Env.Terminals.Stderr {
		return wrong.Hinting("%s", strings.TrimLeft(DidYouMean(near)+"\n", "\n")+"`"+c.Program+" help` lists all commands")
	}
	return wrong.Hinting("%s", DidYouMean(near))
}
