package cmd

import (
	"io"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
)

// The fixed parts of the bash script, around what is made from the table. The script needs no other package, and
// runs in bash 3.2, which macOS has. It skips the = that breaks words, as in --log-level=info.
const (
	bashHead = `# bash completion for PROGRAM; load it with: source <(PROGRAM completion bash)
_PROGRAM() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local command='' options='' operand=nothing operands='' kind='' words='' i
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            -c | --config) ((i++)) ;;
            -*) ;;
            *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $command in
`
	bashTail = `        *) operand=files ;;
    esac
    if [[ $kind == '' && $cur == -* ]]; then
        kind=words words=$options
    elif [[ $kind == '' ]]; then
        kind=$operand words=$operands
    fi
    COMPREPLY=()
    if [[ $kind == words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        return
    fi
    local IFS=$'\n'
    [[ $kind == nothing ]] || compopt -o filenames 2>/dev/null
    case $kind in
        files) COMPREPLY=($(compgen -f -- "$cur")) ;;
        folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
        workflows) COMPREPLY=($(compgen -d -- "$cur"; compgen -f -X '!*.dig' -- "$cur")) ;;
    esac
}
complete -F _PROGRAM PROGRAM
`
)

// writeBashCompletion writes the script for bash.
func writeBashCompletion(w io.Writer, program string, commands []Command) {
	terminal.Say(w, "%s", strings.ReplaceAll(bashHead, "PROGRAM", program))
	writeBashCommand(w, "''", Options(mainOptions, []Option{versionOption}), OneOf(allNames(commands)...), commands)
	for i := range commands {
		c := &commands[i]
		writeBashCommand(w, strings.Join(c.Names(), " | "), c.AllOptions(), c.Operand, commands)
	}
	terminal.Say(w, "%s", strings.ReplaceAll(bashTail, "PROGRAM", program))
}

// writeBashCommand writes the branch of one command: its options, what its arguments are, and what the value of each
// option is.
func writeBashCommand(w io.Writer, pattern string, options []Option, operand Offer, commands []Command) {
	terminal.Say(w, "        %s)\n", pattern)
	terminal.Say(w, "            options='%s'\n", strings.Join(spellings(options), " "))
	kind, words := bashOffer(operand, commands)
	terminal.Say(w, "            operand=%s operands='%s'\n", kind, words)
	terminal.Say(w, "            case $prev in\n")
	for _, o := range valueOptions(options) {
		kind, words := bashOffer(o.offer, commands)
		terminal.Say(w, "                %s) kind=%s words='%s' ;;\n", strings.Join(o.Names, " | "), kind, words)
	}
	terminal.Say(w, "            esac\n            ;;\n")
}

// bashOffer returns what completion proposes, in the terms of the script.
func bashOffer(o Offer, commands []Command) (kind, words string) {
	switch o.kind {
	case offerNothing:
		return "nothing", ""
	case offerFiles:
		return "files", ""
	case offerFolders:
		return "folders", ""
	case offerWorkflows:
		return "workflows", ""
	case offerCommands:
		return "words", strings.Join(allNames(commands), " ")
	case offerWords:
		return "words", strings.Join(o.words, " ")
	}
	return "nothing", ""
}
