package dig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// optionMissing is the warning about a task without an option that its operator requires.
const (
	optionMissing     = "'%s' needs %s"
	optionMissingHint = "set it here, in `_export`, or with -p when the workflow starts"
)

// NeedsValue stands for the value of an operator's name in Operator.Needs.
const NeedsValue = ">"

// needs warns about options that an operator requires and that the task neither has nor inherits.
func (in *inspection) needs(t tree, index int, key string, command param.Value, known Operator) {
	if in.broken[t.file] || t.refused(index) {
		return
	}
	in.joinedObjects(t, index, key, known)
	if len(known.Needs) == 0 {
		return
	}
	given := map[string]bool{NeedsValue: command != nil}
	task := &t.compiler.tasks[index]
	known.collect(given, task.Local)
	for above, at := range t.above(index) {
		known.collect(given, above.compiler.tasks[at].Export)
	}
	for _, choices := range known.Needs {
		if slices.ContainsFunc(choices, func(choice string) bool { return given[choice] }) {
			continue
		}
		words := make([]string, len(choices))
		for i, choice := range choices {
			words[i] = "'" + choice + "'"
			if choice == NeedsValue {
				words[i] = "a value"
			}
		}
		in.warnAt(t, index, ruleValue, fmt.Sprintf(optionMissing, key, strings.Join(words, " or ")), optionMissingHint, key)
	}
}

// joinedObjects warns about objects that lack a key wherever a part of them is given.
func (in *inspection) joinedObjects(t tree, index int, key string, known Operator) {
	for name, v := range known.Keys {
		if len(v.Joined) == 0 {
			continue
		}
		var parts []param.Value
		if value, ok := t.compiler.tasks[index].Local.Get(name); ok {
			parts = append(parts, value)
		}
		for above, at := range t.above(index) {
			if value, ok := above.compiler.tasks[at].Export.Get(name); ok {
				parts = append(parts, value)
			}
		}
		for _, required := range v.Joined {
			if len(parts) > 0 && !slices.ContainsFunc(parts, func(part param.Value) bool { return mayHave(part, required) }) {
				in.warnAt(t, index, ruleValue, fmt.Sprintf(optionMissing, key, "'"+name+"."+required+"'"), optionMissingHint, key)
			}
		}
	}
}

// mayHave reports whether a value has a key, or is no object yet.
func mayHave(value param.Value, key string) bool {
	object, ok := value.(*param.Map)
	if !ok {
		return true // an expression, or what another finding is about
	}
	inner, _ := object.Get(key)
	return inner != nil
}

// collect notes the options that are in an object, or in a block of the operator in it.
func (o Operator) collect(given map[string]bool, from *param.Map, name ...string) {
	for key, value := range from.All() {
		if value != nil {
			given[key] = true
		}
		at := append(slices.Clone(name), key)
		if inner, ok := value.(*param.Map); ok && o.hasBlock(at...) {
			o.collect(given, inner, at...)
		}
	}
}
