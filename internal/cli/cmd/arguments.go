package cmd

import (
	"strconv"
	"strings"
)

// Arguments are the values of one command line. Options are asked for by any of their spellings.
type Arguments struct {
	Positional []string            // arguments that are not options
	values     map[string][]string // by first spelling; a flag that is given has one empty text
	spellings  map[string]string   // by first spelling: the one that was used last
	options    map[string]*Option  // by every spelling
}

// Pair is a key and a value of a repeatable KEY=VALUE option.
type Pair struct{ Key, Value string }

func newArguments(options []Option) *Arguments {
	a := &Arguments{values: map[string][]string{}, spellings: map[string]string{}, options: map[string]*Option{}}
	for i := range options {
		for _, name := range options[i].Names {
			a.options[name] = &options[i]
		}
	}
	return a
}

// Given reports whether an option is on the command line, or whether a flag is on.
func (a *Arguments) Given(name string) bool { return len(a.List(name)) > 0 }

// Text returns the value of an option, or its default if it is not given.
func (a *Arguments) Text(name string) string {
	if values := a.List(name); len(values) > 0 {
		return values[0]
	}
	if o := a.options[name]; o != nil {
		return o.standard
	}
	return ""
}

// spelling returns how an option was written on the command line. If it was not given, it returns the spelling that is asked for.
func (a *Arguments) spelling(name string) string {
	if o := a.options[name]; o != nil && a.spellings[o.Names[0]] != "" {
		return a.spellings[o.Names[0]]
	}
	return name
}

// Number returns the value of an integer option, its default, or 0 if it has neither.
func (a *Arguments) Number(name string) int {
	n, err := strconv.ParseInt(a.Text(name), 10, 32)
	if err != nil {
		return 0 // given values were checked by the parser
	}
	return int(n)
}

// List returns all values of an option, in order.
func (a *Arguments) List(name string) []string {
	o := a.options[name]
	if o == nil {
		return nil
	}
	return a.values[o.Names[0]]
}

// Pairs returns the keys and values of a KEY=VALUE option in order. Only the first = separates. If a key occurs
// more than once, callers must use its last value.
func (a *Arguments) Pairs(name string) []Pair {
	var pairs []Pair
	for _, text := range a.List(name) {
		key, value, _ := strings.Cut(text, "=")
		pairs = append(pairs, Pair{key, value})
	}
	return pairs
}
