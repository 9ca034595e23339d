package cmd

import (
	"strings"

	"github.com/trowel-project/trowel/internal/textutil"
)

// Option is one option of a command.
type Option struct {
	Names    []string                  // spellings in declared order; complaints of double use name the first
	Takes    valueKind                 // what kind of value
	Value    string                    // name of the value in usage texts
	standard string                    // value when it is not given
	Help     string                    // what it does, for usage texts
	offer    Offer                     // what completion proposes as value
	check    func(value string) string // a complaint about the value, or empty
}

// valueKind says what an option takes.
type valueKind int

const (
	// TakesNothing is the kind of a flag.
	TakesNothing  valueKind = iota
	takesText               // the next argument
	takesInt                // the next argument, an integer of 32 bits
	takesPairs              // the next argument, KEY=VALUE[,KEY=VALUE]; may be repeated
	takesProperty           // KEY=VALUE, glued or as the next argument; may be repeated
	takesList               // all arguments up to the next option; may be repeated
)

// Repeatable reports whether an option may be given more than once.
func (o *Option) Repeatable() bool {
	switch o.Takes {
	case takesPairs, takesProperty, takesList:
		return true
	case TakesNothing, takesText, takesInt:
		return false
	}
	return false
}

// Label returns the option as usage texts show it: all spellings and the value.
func (o *Option) Label() string {
	label := textutil.CommaList(o.Names)
	if o.Takes == TakesNothing {
		return label
	}
	if o.Takes == takesList {
		return label + " " + o.Value + "..."
	}
	return label + " " + o.Value
}

// helpText says what the option does, and what its default is.
func (o *Option) helpText() string {
	if o.standard == "" || o.standard == "0" {
		return o.Help
	}
	return o.Help + "; default: " + o.standard
}

// Offer is what completion proposes for a value or a positional argument.
type Offer struct {
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

// OneOf offers fixed words.
func OneOf(words ...string) Offer { return Offer{kind: offerWords, words: words} }

// The constructors below take the help text first, then the spellings in declared order.

// FlagOption returns an option without a value.
func FlagOption(help string, names ...string) Option {
	return Option{Names: names, Help: help}
}

// TextOption returns an option with a text; value names it in the usage.
func TextOption(value, help string, names ...string) Option {
	return Option{Names: names, Takes: takesText, Value: value, Help: help}
}

// IntOption returns an option with a whole number.
func IntOption(value, help string, names ...string) Option {
	return Option{Names: names, Takes: takesInt, Value: value, Help: help}
}

func pairsOption(help string, names ...string) Option {
	return Option{Names: names, Takes: takesPairs, Value: "KEY=VALUE", Help: help}
}

// ListOption returns an option that may be given several times.
func ListOption(value, help string, names ...string) Option {
	return Option{Names: names, Takes: takesList, Value: value, Help: help}
}

// Offering adds what completion proposes.
func (o Option) Offering(what Offer) Option { o.offer = what; return o }

// Or sets the default.
func (o Option) Or(standard string) Option { o.standard = standard; return o }

// Checked adds a check of the value, which returns a complaint.
func (o Option) Checked(check func(value string) string) Option { o.check = check; return o }

// Options joins lists of options.
func Options(lists ...[]Option) []Option {
	var all []Option
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// isLong reports whether a spelling begins with two hyphens.
func isLong(name string) bool { return strings.HasPrefix(name, "--") }
