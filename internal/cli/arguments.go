package cli

import (
	"strconv"
	"strings"
)

// arguments are the values of one command line. Options are asked for by any of their spellings.
type arguments struct {
	positional []string
	values     map[string][]string // by first spelling; a flag that is given has one empty text
	spellings  map[string]string   // by first spelling: the one that was used last
	options    map[string]*option  // by every spelling
}

// pair is a key and a value of a repeatable KEY=VALUE option.
type pair struct{ key, value string }

func newArguments(options []option) *arguments {
	a := &arguments{values: map[string][]string{}, spellings: map[string]string{}, options: map[string]*option{}}
	for i := range options {
		for _, name := range options[i].names {
			a.options[name] = &options[i]
		}
	}
	return a
}

// given reports whether an option stands on the command line; for a flag, whether it is on.
func (a *arguments) given(name string) bool { return len(a.list(name)) > 0 }

// text is the value of an option, or its standard value if it is not given.
func (a *arguments) text(name string) string {
	if values := a.list(name); len(values) > 0 {
		return values[0]
	}
	if o := a.options[name]; o != nil {
		return o.standard
	}
	return ""
}

// spelling is how an option was written on the command line; as it is asked for if it was not.
func (a *arguments) spelling(name string) string {
	if o := a.options[name]; o != nil && a.spellings[o.names[0]] != "" {
		return a.spellings[o.names[0]]
	}
	return name
}

// number is the value of an integer option, or its standard value; 0 if it has neither.
func (a *arguments) number(name string) int {
	n, err := strconv.ParseInt(a.text(name), 10, 32)
	if err != nil {
		return 0 // given values were checked by the parser
	}
	return int(n)
}

// list holds all values of an option, in order.
func (a *arguments) list(name string) []string {
	o := a.options[name]
	if o == nil {
		return nil
	}
	return a.values[o.names[0]]
}

// pairs holds the keys and values of a KEY=VALUE option in order. Only the first = separates. Of
// equal keys the last one counts; it is for the caller to let it.
func (a *arguments) pairs(name string) []pair {
	var pairs []pair
	for _, text := range a.list(name) {
		key, value, _ := strings.Cut(text, "=")
		pairs = append(pairs, pair{key, value})
	}
	return pairs
}
