package cli

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

// call is one command line that was understood, and all that its command may use.
type call struct {
	env      Env
	program  string    // what usage and hints call the program
	commands []command // the table
	explain  func(c *call, err error) string
	command  *command
	args     *arguments
	// configPath is the file of --config, wherever it stands; empty without.
	configPath     string
	configSpelling string // of that option
	// signedBy is what signs the requests in, for people; empty if nothing does.
	signedBy string
}

// program is a command line program.
type program struct {
	commands []command
	// explain is what people read of the error that ends a command.
	explain func(c *call, err error) string
}

// runProgram does what a command line says and returns the exit code of the process. It prints everything
// there is to print, errors included. Canceling ctx stops a command that takes time.
func runProgram(ctx context.Context, env Env, p program) (exit int) {
	if len(env.Args) > 0 && slices.Contains(env.Args[1:], "--version") { // server 1.1: whatever else is there
		terminal.Say(env.Stdout, "%s\n", version.Number)
		return exitSuccess
	}
	defer catchPipes()()
	out := &keptWriter{w: env.Stdout}
	env.Stdout = out
	defer env.guardTerminals()()
	c, err := readCall(env, p)
	if c.command == nil || !c.command.extra { // the output of ours goes to pipes and start-up files
		writeBanner(env.Stderr, env.Now())
	}
	if err == nil {
		err = c.command.run(ctx, c)
	}
	if err == nil && out.err != nil {
		err = fix.UseOutput.Failed(fmt.Errorf("write standard output: %w", fix.Reason(out.err)))
	}
	return c.exitCode(err)
}

// readCall reads a command line without running its command.
func readCall(env Env, p program) (*call, error) {
	c := &call{env: env, program: env.programName(), commands: p.commands, explain: p.explain}
	var raw []string
	if len(env.Args) > 0 {
		raw = env.Args[1:]
	}
	return c, c.read(raw)
}

// exitCode reports an error, if there is one.
func (c *call) exitCode(err error) int {
	if err == nil {
		return exitSuccess
	}
	if wrong, ok := errors.AsType[*complaint](err); ok {
		return wrong.report(c.env.Stderr, c.env.Terminals.Stderr)
	}
	if silent, ok := errors.AsType[*exitError](err); ok {
		return silent.code
	}
	terminal.Say(c.env.Stderr, "error: %s\n", c.explain(c, err))
	return exitFailure
}

// read finds the command and reads its arguments. The checks come in Digdag's order (server 1.1).
func (c *call) read(raw []string) error {
	head, rest, err := parseHead(mainOptions, raw)
	if err != nil {
		return c.strayOption(err)
	}
	if len(rest) == 0 {
		return c.globalUsage("")
	}
	name := bare(rest[0])
	c.command = find(c.commands, name)
	if c.command == nil {
		return c.unknownCommand(name)
	}
	c.args, err = parse(c.command.allOptions(), rest[1:])
	if err != nil {
		return c.withOptions(err)
	}
	if head.given("--help") {
		return c.globalUsage("")
	}
	if c.args.given("--help") {
		return c.usage("")
	}
	if level := c.args.text("--log-level"); !slices.Contains(logLevels, level) {
		return c.globalUsage(fmt.Sprintf("Unknown log level '%s'", level)).
			hinting("the levels are %s", textutil.CommaList(logLevels))
	}
	if c.command.run == nil {
		return notPartOf(c.command.name)
	}
	c.configPath, c.configSpelling = c.args.text("--config"), c.args.spelling("--config")
	if c.configPath == "" {
		c.configPath, c.configSpelling = head.text("--config"), head.spelling("--config")
	}
	if c.command.refuse != nil {
		if text := c.command.refuse(c.args); text != "" {
			return c.usage(text)
		}
	}
	return c.checkCount()
}

// withOptions names the list of options beside an unknown one that is near to none.
func (c *call) withOptions(err error) error {
	wrong, ok := errors.AsType[*complaint](err)
	if ok && wrong.hint == "" && strings.HasPrefix(wrong.text, strings.TrimSuffix(textUnknownOption, "%s")) {
		return wrong.hinting("`%s %s --help` shows the options", c.program, c.command.name)
	}
	return err
}

// checkCount refuses a wrong number of positional arguments: Digdag shows the usage and says no more, and calls
// it a success. A command that Digdag does not have fails.
func (c *call) checkCount() error {
	given, least, most := len(c.args.positional), c.command.min, c.command.max
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
	text := fmt.Sprintf("%s takes %s, not %d", c.command.name, wanted, given)
	if c.command.extra {
		return c.usage(text)
	}
	return c.usage("").hinting("%s", text)
}

// strayOption is the complaint about a wrong option before the command. Digdag shows its usage and
// calls it a success.
func (c *call) strayOption(err error) error {
	wrong := c.globalUsage("")
	if cause, ok := errors.AsType[*complaint](err); ok {
		wrong.hint = cause.text + "\noptions stand after the command: " + c.program + " <command> [options...]"
	}
	return wrong
}

// unknownCommand is the complaint about a first argument that names no command.
func (c *call) unknownCommand(name string) error {
	var names []string
	for i := range c.commands {
		names = append(names, c.commands[i].name)
	}
	near := nearCommand(c.commands, name)
	if strings.HasSuffix(name, ".dig") {
		near = "run " + name
	}
	if near != "" {
		near = c.program + " " + near
	}
	wrong := c.globalUsage(fmt.Sprintf("available commands are: [%s]", textutil.CommaList(names)))
	wrong.own = fmt.Sprintf("%s is no command of %s", name, c.program)
	if c.env.Terminals.Stderr {
		return wrong.hinting("%s", strings.TrimLeft(didYouMean(near)+"\n", "\n")+"`"+c.program+" help` lists all commands")
	}
	return wrong.hinting("%s", didYouMean(near))
}
