package cli

import (
	"context"
	"math"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
)

// helpRow is the row of the command help.
func helpRow() command {
	return command{
		name: "help", section: sectionOther, extra: true,
		lines: []line{{"help [command | operator]", "show this text, or the options of a command or an operator; `help operators` lists these"}},
		usage: []string{"help [command | operator | operators]"},
		max:   1, operand: commandName,
		options: []option{flagOption("write the manual page, as in `trowel help --man | man -l -`", "--man")},
		run:     runHelp,
	}
}

// runHelp writes a usage text to standard output, where --help writes it to standard error as
// Digdag does, so that it can be piped to a pager.
func runHelp(_ context.Context, c *call) error {
	if c.args.given("--man") {
		writeManual(c.env.Stdout, c.commands)
		return nil
	}
	if len(c.args.positional) == 0 {
		writeGlobalUsage(c.env.Stdout, c.program, c.commands)
		return nil
	}
	name := c.args.positional[0]
	about := find(c.commands, name)
	if about == nil {
		return helpOperator(c, name)
	}
	columns := math.MaxInt // a program that reads it wants each form in a line
	if c.env.Terminals.Stdout {
		columns = helpWidth
	}
	writeUsage(c.env.Stdout, formLines(c.program, about.forms(), columns), about)
	return nil
}

// helpOperator writes about an operator, or all of them, whether its name is written as in a file or not.
func helpOperator(c *call, name string) error {
	table := operator.Builtin(operator.Options{})
	bare := strings.TrimSuffix(strings.TrimSuffix(name, ":"), ">")
	switch _, known := table[bare]; {
	case name == operatorsTopic:
		writeOperators(c.env.Stdout, c.program, table)
	case known:
		writeOperator(c.env.Stdout, table, bare)
	default:
		near := nearCommand(c.commands, name)
		if near == "" {
			near = nearWord(bare, append(table.Names(), operatorsTopic))
		}
		return complainf("%s is no command of %s, and no operator", name, c.program).hinting("%s", didYouMean(near))
	}
	return nil
}

// operatorsTopic is what help lists all operators for.
const operatorsTopic = "operators"
