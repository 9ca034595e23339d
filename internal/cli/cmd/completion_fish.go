package cmd

import (
	"io"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
)

// writeFishCompletion writes the script for fish: one line for each command, option and kind of
// argument.
func writeFishCompletion(w io.Writer, program string, commands []Command) {
	terminal.Say(w, "# fish completion for %s; load it with: %s completion fish | source\n", program, program)
	terminal.Say(w, "complete -c %s -f\n", program)
	outside := "complete -c " + program + " -n __fish_use_subcommand"
	writeFishOptions(w, outside, Options(mainOptions, []Option{versionOption}), commands)
	for i := range commands {
		c := &commands[i]
		for _, name := range c.Names() {
			terminal.Say(w, "%s -a %s -d %s\n", outside, name, fishQuote(c.summary()))
		}
		inside := "complete -c " + program + " -n " +
			fishQuote("__fish_seen_subcommand_from "+strings.Join(c.Names(), " "))
		writeFishOptions(w, inside, c.AllOptions(), commands)
		if values := fishOffer(c.Operand, commands); values != "" {
			terminal.Say(w, "%s %s\n", inside, values)
		}
	}
}

// writeFishOptions writes a line for each option.
func writeFishOptions(w io.Writer, lead string, options []Option, commands []Command) {
	for i := range options {
		o := &options[i]
		words := []string{lead}
		for _, name := range o.Names {
			switch {
			case isLong(name):
				words = append(words, "-l", strings.TrimPrefix(name, "--"))
			case len(name) == 2:
				words = append(words, "-s", strings.TrimPrefix(name, "-"))
			default:
				words = append(words, "-o", strings.TrimPrefix(name, "-"))
			}
		}
		switch {
		case o.Takes == TakesNothing:
		case o.offer.kind == offerNothing:
			words = append(words, "-x")
		default:
			words = append(words, "-r", fishOffer(o.offer, commands))
		}
		terminal.Say(w, "%s -d %s\n", strings.Join(words, " "), fishQuote(o.Help))
	}
}

// fishOffer returns the arguments of complete that say what to propose; empty if nothing is proposed.
func fishOffer(o Offer, commands []Command) string {
	switch o.kind {
	case offerNothing:
		return ""
	case offerFiles:
		return "-F"
	case offerFolders:
		return "-f -a '(__fish_complete_directories)'"
	case offerWorkflows:
		return "-f -a '(__fish_complete_suffix .dig)'"
	case offerCommands:
		return "-f -a " + fishQuote(strings.Join(allNames(commands), " "))
	case offerWords:
		return "-f -a " + fishQuote(strings.Join(o.words, " "))
	}
	return ""
}

// fishQuote returns a text in single quotes.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
