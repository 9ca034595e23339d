package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
)

// zshHead and zshTail are the fixed parts around what is made from the table. The script can be sourced, or put into a
// folder of fpath as _trowel.
const (
	zshHead = `#compdef PROGRAM
# zsh completion for PROGRAM; load it with: source <(PROGRAM completion zsh)
_PROGRAM() {
    local context state state_descr line
    typeset -A opt_args
    local -a commands
    commands=(
`
	zshTail = `            esac
            ;;
    esac
}
if [[ ${funcstack[1]} == _PROGRAM ]]; then
    _PROGRAM "$@"
else
    compdef _PROGRAM PROGRAM
fi
`
)

// writeZshCompletion writes the script for zsh.
func writeZshCompletion(w io.Writer, program string, commands []Command) {
	terminal.Say(w, "%s", strings.ReplaceAll(zshHead, "PROGRAM", program))
	for i := range commands {
		for _, name := range commands[i].Names() {
			terminal.Say(w, "        %s\n", zshQuote(zshEscape(name)+":"+zshEscape(commands[i].summary())))
		}
	}
	terminal.Say(w, "    )\n    _arguments -C \\\n")
	writeZshOptions(w, "        ", Options(mainOptions, []Option{versionOption}))
	terminal.Say(w, "        '1:command:->command' \\\n        '*::argument:->arguments'\n")
	terminal.Say(w, "    case $state in\n        command) _describe -t commands command commands ;;\n")
	terminal.Say(w, "        arguments)\n            case $words[1] in\n")
	for i := range commands {
		c := &commands[i]
		terminal.Say(w, "                %s)\n                    _arguments \\\n", strings.Join(c.Names(), "|"))
		writeZshOptions(w, "                        ", c.AllOptions())
		terminal.Say(w, "                        '*:argument:%s'\n                    ;;\n", zshAction(c.Operand))
	}
	terminal.Say(w, "%s", strings.ReplaceAll(zshTail, "PROGRAM", program))
}

// writeZshOptions writes a line for each spelling of each option. Spellings of one option exclude
// each other.
func writeZshOptions(w io.Writer, indent string, options []Option) {
	for i := range options {
		o := &options[i]
		before := ""
		switch {
		case o.Repeatable():
			before = "*"
		case len(o.Names) > 1:
			before = "(" + strings.Join(o.Names, " ") + ")"
		}
		for _, name := range o.Names {
			spec := fmt.Sprintf("%s%s[%s]", before, name, zshEscape(o.Help))
			if o.Takes != TakesNothing {
				spec += fmt.Sprintf(":%s:%s", zshEscape(o.Value), zshAction(o.offer))
			}
			terminal.Say(w, "%s%s \\\n", indent, zshQuote(spec))
		}
	}
}

// zshAction returns the action of _arguments that completes a value.
func zshAction(o Offer) string {
	switch o.kind {
	case offerNothing:
		return " "
	case offerFiles:
		return "_files"
	case offerFolders:
		return "_files -/"
	case offerWorkflows:
		return `_files -g "*.dig"`
	case offerCommands:
		return "{_describe -t commands command commands}"
	case offerWords:
		return "(" + strings.Join(o.words, " ") + ")"
	}
	return " "
}

// zshEscape escapes the characters that have a meaning in a specification.
func zshEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `[`, `\[`, `]`, `\]`).Replace(text)
}

// zshQuote returns a text in single quotes.
func zshQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
