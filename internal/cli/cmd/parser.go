package cmd

import (
	"strconv"
	"strings"
)

// This file holds the rules by which arguments are read (server 1.3): those of JCommander 1.58, and
// one more form, --option=VALUE, which Digdag refuses.
//
//   - Options and positional arguments may be mixed; after -- all arguments are positional.
//   - Blanks around an argument are removed, and then one pair of double quotes around all of it.
//   - A value is the next argument, whatever it looks like.
//   - Spellings cannot be abbreviated, and values do not follow them directly, except in -XKEY=VALUE.

// Texts of the reference's parser (server 1.3).
const (
	textUnknownOption   = "Unknown option: %s"
	textOnlyOnce        = "Can only specify option %s once."
	textValueMissing    = "Expected a value after parameter %s"
	textNotAnInteger    = "%q: couldn't convert %q to an integer"
	textNotKeyAndValue  = "Parameter %s expected a value of the form a=b but got:%s"
	textNotAnAssignment = "Dynamic parameter expected a value of the form a=b but got:%s"
)

// parser reads one list of arguments.
type parser struct {
	options   []Option
	arguments *Arguments
}

// parse reads arguments by a list of options. A wrong one is a *complaint.
func parse(options []Option, raw []string) (*Arguments, error) {
	arguments, rest, err := parseHead(options, raw)
	if err != nil {
		return nil, err
	}
	p := &parser{options: options, arguments: arguments}
	for len(rest) > 0 {
		token := bare(rest[0])
		switch {
		case token == "--":
			for _, argument := range rest[1:] {
				p.positional(bare(argument))
			}
			return arguments, nil
		case strings.HasPrefix(token, "-"):
			taken, err := p.option(token, rest[1:])
			if err != nil {
				return nil, err
			}
			rest = rest[1+taken:]
		default:
			p.positional(token)
			rest = rest[1:]
		}
	}
	return arguments, nil
}

// parseHead reads the options before the first positional argument, and returns the remaining arguments. With an error
// it still returns what it has read.
func parseHead(options []Option, raw []string) (*Arguments, []string, error) {
	p := &parser{options: options, arguments: newArguments(options)}
	for len(raw) > 0 {
		token := bare(raw[0])
		if token == "--" || token != "" && token[0] != '-' {
			break
		}
		if token == "" {
			raw = raw[1:]
			continue
		}
		taken, err := p.option(token, raw[1:])
		if err != nil {
			return p.arguments, nil, err
		}
		raw = raw[1+taken:]
	}
	return p.arguments, raw, nil
}

// positional adds an argument that is not an option. An empty one is dropped.
func (p *parser) positional(token string) {
	if token != "" {
		p.arguments.Positional = append(p.arguments.Positional, token)
	}
}

// option reads the option that token begins, and returns how many of the arguments after it are
// its values.
func (p *parser) option(token string, rest []string) (taken int, err error) {
	if o := p.find(token); o != nil {
		return p.separate(o, token, rest)
	}
	if o, value := p.glued(token); o != nil {
		return 0, p.add(o, o.Names[0], value)
	}
	if name, value, found := strings.Cut(token, "="); found && isLong(name) {
		if o := p.find(name); o != nil && o.Takes != TakesNothing {
			return 0, p.add(o, name, bare(value))
		}
	}
	return 0, Complainf(textUnknownOption, token).Hinting("%s", DidYouMean(nearOption(p.arguments.options, token)))
}

// separate reads an option whose values, if any, are the next arguments.
func (p *parser) separate(o *Option, spelling string, rest []string) (taken int, err error) {
	if o.Takes == TakesNothing {
		return 0, p.add(o, spelling, "")
	}
	if len(rest) == 0 {
		return 0, Complainf(textValueMissing, spelling).Hinting("%s: %s", o.Label(), o.Help)
	}
	if o.Takes != takesList {
		return 1, p.add(o, spelling, bare(rest[0]))
	}
	for taken < len(rest) && !strings.HasPrefix(rest[taken], "-") {
		if err := p.add(o, spelling, bare(rest[taken])); err != nil {
			return 0, err
		}
		taken++
	}
	return taken, nil
}

// glued returns the option of a token that its value follows directly, as in -Xkey=value.
func (p *parser) glued(token string) (o *Option, value string) {
	for i := range p.options {
		o := &p.options[i]
		if o.Takes != takesProperty {
			continue
		}
		for _, name := range o.Names {
			if value, found := strings.CutPrefix(token, name); found {
				return o, value
			}
		}
	}
	return nil, ""
}

// add checks and keeps one value of an option.
func (p *parser) add(o *Option, spelling, value string) error {
	first := o.Names[0]
	if _, given := p.arguments.values[first]; given && !o.Repeatable() {
		return Complainf(textOnlyOnce, first)
	}
	if o.check != nil {
		if text := o.check(value); text != "" {
			return Complainf("%s", text)
		}
	}
	switch o.Takes {
	case takesInt:
		if _, err := strconv.ParseInt(value, 10, 32); err != nil {
			return Complainf(textNotAnInteger, spelling, value)
		}
	case takesProperty:
		if strings.Index(value, "=") < 1 {
			return Complainf(textNotAnAssignment, value).Hinting("%s: %s", o.Label(), o.Help)
		}
	case takesPairs:
		return p.addPairs(o, value)
	case TakesNothing, takesText, takesList:
	}
	p.arguments.values[first] = append(p.arguments.values[first], value)
	p.arguments.spellings[first] = spelling
	return nil
}

// addPairs keeps KEY=VALUE[,KEY=VALUE...], split at the commas. A part without = belongs to the
// value before it: a=1,2 is one pair. Empty parts at the end are dropped, as Java's split does.
func (p *parser) addPairs(o *Option, value string) error {
	first := o.Names[0]
	pairs := p.arguments.values[first]
	if !strings.Contains(value, "=") {
		return Complainf(textNotKeyAndValue, first, value).Hinting("%s: %s", o.Label(), o.Help)
	}
	for part := range strings.SplitSeq(strings.TrimRight(value, ","), ",") {
		switch {
		case strings.Contains(part, "="):
			pairs = append(pairs, part)
		case len(pairs) == 0: // Digdag makes a parameter without a name of it
			return Complainf(textNotKeyAndValue, first, value).Hinting("%s: %s", o.Label(), o.Help)
		default:
			pairs[len(pairs)-1] += "," + part
		}
	}
	p.arguments.values[first] = pairs
	return nil
}

// find returns the option of a spelling, nil if there is none.
func (p *parser) find(spelling string) *Option { return p.arguments.options[spelling] }

// bare removes blanks from both ends, as Java's trim does, and then one pair of double quotes.
func bare(argument string) string {
	argument = strings.TrimFunc(argument, func(r rune) bool { return r <= ' ' })
	if len(argument) > 1 && argument[0] == '"' && argument[len(argument)-1] == '"' {
		return argument[1 : len(argument)-1]
	}
	return argument
}
