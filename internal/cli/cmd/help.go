package cmd

import (
	"context"
	"math"
	"strings"

	"github.com/trowel-project/trowel/internal/operator/builtin"
)

// Help returns the row of the command help.
func Help() Command {
	return Command{
		Name: "help", Section: SectionOther, Extra: true,
		Lines: []Line{{"help [command | operator]", "show this text, or the options of a command or an operator; `help operators` lists these"}},
		Usage: []string{"help [command | operator | operators]"},
		Max:   1, Operand: commandName,
		Options: []Option{FlagOption("write the manual page, as in `trowel help --man | man -l -`", "--man")},
		Run:     runHelp,
	}
}

// runHelp writes a usage text to standard output, where --help writes it to standard error as
// Digdag does, so that it can be piped to a pager.
func runHelp(_ context.Context, c *Call) error {
	if c.Args.Given("--man") {
		writeManual(c.Env.Stdout, c.commands)
		return nil
	}
	if len(c.Args.Positional) == 0 {
		writeGlobalUsage(c.Env.Stdout, c.Program, c.commands)
		return nil
	}
	name := c.Args.Positional[0]
	about := find(c.commands, name)
	if about == nil {
		return helpOperator(c, name)
	}
	columns := math.MaxInt // a program that reads it wants each form in a line
	if c.Env.Terminals.Stdout {
		columns = HelpWidth
	}
	writeUsage(c.Env.Stdout, FormLines(c.Program, about.Forms(), columns), about)
	return nil
}

// helpOperator describes an operator, or lists all of them. The name may be written with or without its >.
func helpOperator(c *Call, name string) error {
	table := builtin.Table(builtin.Options{})
	bare := strings.TrimSuffix(strings.TrimSuffix(name, ":"), ">")
	switch _, known := table[bare]; {
	case name == operatorsTopic:
		writeOperators(c.Env.Stdout, c.Program, table)
	case known:
		writeOperator(c.Env.Stdout, table, bare)
	default:
		near := nearCommand(c.commands, name)
		if near == "" {
			near = NearWord(bare, append(table.Names(), operatorsTopic))
		}
		return Complainf("%s is no command of %s, and no operator", name, c.Program).Hinting("%s", DidYouMean(near))
	}
	return nil
}

// operatorsTopic is the argument with which help lists all operators.
const operatorsTopic = "operators"
