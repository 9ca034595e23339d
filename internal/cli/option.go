package cli

import (
	"strings"

	"github.com/trowel-project/trowel/internal/textutil"
)

// option is one option of a command.
type option struct {
	names    []string // spellings in declared order; complaints of double use name the first
	takes    valueKind
	value    string // name of the value in usage texts
	standard string // value when it is not given
	help     string
	offer    offer                     // what completion proposes as value
	check    func(value string) string // a complaint about the value, or empty
}

// valueKind says what an option takes.
type valueKind int

const (
	takesNothing  valueKind = iota // a flag
	takesText                      // the next argument
	takesInt                       // the next argument, an integer of 32 bits
	takesPairs                     // the next argument, KEY=VALUE[,KEY=VALUE]; may be repeated
	takesProperty                  // KEY=VALUE, glued or as the next argument; may be repeated
	takesList                      // all arguments up to the next option; may be repeated
)

// repeatable reports whether an option may be given more than once.
func (o *option) repeatable() bool {
	switch o.takes {
	case takesPairs, takesProperty, takesList:
		return true
	case takesNothing, takesText, takesInt:
		return false
	}
	return false
}

// label is the option as usage texts name it: all spellings and the value.
func (o *option) label() string {
	label := textutil.CommaList(o.names)
	if o.takes == takesNothing {
		return label
	}
	if o.takes == takesList {
		return label + " " + o.value + "..."
	}
	return label + " " + o.value
}

// helpText is what the option does, and its value where it is not given.
func (o *option) helpText() string {
	if o.standard == "" || o.standard == "0" {
		return o.help
	}
	return o.help + "; default: " + o.standard
}

// offer is what completion proposes for a value or a positional argument.
type offer struct {
	kind  offerKind
	words []string // of offerWords
}

type offerKind int

const (
	offerNothing   offerKind = iota
	offerFiles               // any file
	offerFolders             // any folder
	offerWorkflows           // *.dig files, and folders on the way to them
	offerCommands            // names of commands
	offerWords               // fixed words
)

// oneOf offers fixed words.
func oneOf(words ...string) offer { return offer{kind: offerWords, words: words} }

// The constructors below take the help text first, then the spellings in declared order.

func flagOption(help string, names ...string) option {
	return option{names: names, help: help}
}

func textOption(value, help string, names ...string) option {
	return option{names: names, takes: takesText, value: value, help: help}
}

func intOption(value, help string, names ...string) option {
	return option{names: names, takes: takesInt, value: value, help: help}
}

func pairsOption(help string, names ...string) option {
	return option{names: names, takes: takesPairs, value: "KEY=VALUE", help: help}
}

func listOption(value, help string, names ...string) option {
	return option{names: names, takes: takesList, value: value, help: help}
}

// offering adds what completion proposes.
func (o option) offering(what offer) option { o.offer = what; return o }

// or adds the value that holds when the option is not given.
func (o option) or(standard string) option { o.standard = standard; return o }

// checked adds a check of the value, which returns a complaint.
func (o option) checked(check func(value string) string) option { o.check = check; return o }

// options joins lists of options.
func options(lists ...[]option) []option {
	var all []option
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// isLong reports whether a spelling begins with two hyphens.
func isLong(name string) bool { return strings.HasPrefix(name, "--") }
