package dig

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of warnings about values.
const (
	commandMissing = "'%s' has no value"
	bodyMissing    = "'%s' has no tasks to run: the key _do is missing"
	envName        = "'_env.%s' is no name of a variable"
)

// directiveValues returns the values of directives that operators and groups read in the same way.
func directiveValues() map[string]Value {
	object := Value{Kind: Object}
	return map[string]Value{
		keyCheck: object, keyDo: object, keyElseDo: object, keySecrets: object, keyWorkdir: {Kind: Text}, keyType: {Kind: Text},
		keyEnv: {Kind: Object, Others: &Value{Kind: Text}},
		keyRetry: {Kind: Anything, Check: func(value param.Value) error {
			_, err := ParseRetry(value)
			return err
		}},
	}
}

// parallelValue returns the value of _parallel of a loop.
func parallelValue() Value {
	return Value{Kind: Anything, Check: func(value param.Value) error {
		_, err := ParseParallel(param.Of(keyParallel, value))
		return err
	}}
}

// nestedKeys returns the keys of objects in directives, with those of control K118 and K502 that are planned.
func nestedKeys(key string) (fields map[string]Value, required []string) {
	switch key {
	case keyRetry:
		return map[string]Value{
			"limit": {Kind: Integer}, "interval": {Kind: Integer}, "max_interval": {Kind: Integer}, "interval_type": {Kind: Text},
			"multiplier": {}, "jitter": {}, "on": {}, "never_on": {}, "rules": {},
		}, []string{"limit"}
	case keyParallel:
		return map[string]Value{"limit": {Kind: Integer}, "sliding": {}}, []string{"limit"}
	}
	return nil, nil
}

// directives inspects the values of a task's directives.
func (in *inspection) directives(t tree, index int) {
	task := &t.compiler.tasks[index]
	for key, value := range task.Local.All() {
		if _, ok := value.(*param.Map); ok && task.Group && key == keyParallel {
			if _, err := ParseParallel(task.Local); err == nil { // the compiler reports it otherwise
				in.directive(t, index, key, value, Value{})
			}
		}
		v, known := in.values[key]
		if !known || task.Group && key != keyRetry && key != keyCheck {
			continue // the compiler reads groups
		}
		in.directive(t, index, key, value, v)
	}
	if value, ok := task.Export.Get(keyWorkdir); ok {
		in.judge(t, index, value, Value{Kind: Text}, keyExport, keyWorkdir)
	}
	if env, ok := task.Local.Get(keyEnv); ok && !task.Group {
		object, _ := env.(*param.Map)
		for name := range object.All() {
			if !isVariable(name) {
				in.warnAt(t, index, ruleValue, fmt.Sprintf(envName, name), "use letters, digits and _, and begin with a letter", keyEnv, name)
			}
		}
	}
}

// directive inspects the value of one directive.
func (in *inspection) directive(t tree, index int, key string, value param.Value, v Value) {
	if _, ok := value.(*param.Map); ok {
		if fields, required := nestedKeys(key); fields != nil {
			v.Kind, v.Fields, v.Required = Object, fields, required
		}
	}
	in.judge(t, index, value, v, key)
}

// operatorValues inspects what an operator reads: its command, its options, the block of its name and, if the
// task has no such block, the inherited one.
func (in *inspection) operatorValues(t tree, index int, key, name string, known Operator) {
	task := &t.compiler.tasks[index]
	command, _ := task.Local.Get(key)
	if key == keyType {
		command, _ = task.Local.Get(keyCommand)
	}
	if command == nil && known.NeedsCommand && key != keyType && !in.broken[t.file] {
		in.warnAt(t, index, ruleValue, fmt.Sprintf(commandMissing, key), in.missingHint(t, index, key), key)
	}
	in.needs(t, index, key, command, known)
	in.judgeAs(t, index, command, known.Command, name+">", key)
	if known.Generates {
		if !task.Local.Has(keyDo) && !in.inherits(t, index, keyDo) && (name != "if" || !task.Local.Has(keyElseDo)) &&
			in.wants(t.file, "") && !hasMeant(task.Local, keyDo) && !t.refused(index) {
			in.warnAt(t, index, ruleValue, fmt.Sprintf(bodyMissing, key), "write the tasks below `_do:`, beside "+key, key)
		}
		if value, ok := task.Local.Get(keyParallel); ok && name != "if" {
			in.directive(t, index, keyParallel, value, parallelValue())
		}
	}
	seen := map[string]bool{}
	for own, value := range task.Local.All() {
		seen[own] = true
		if v, ok := known.Keys[own]; ok {
			in.judge(t, index, value, v, own)
		}
		if known.hasBlock(own) {
			in.block(t, index, value, known, []string{own}, own)
		}
	}
	in.inherited(t, index, known, seen)
}

// missingHint says how to give a key of a task a value, which may be hidden by a # after the colon.
func (in *inspection) missingHint(t tree, index int, key string) string {
	if !in.wants(t.file, "") {
		return ""
	}
	at := in.sources.locate(t.file, append(t.path(problem{task: index}), key))
	src := in.sources.get(at.File)
	if src == nil {
		return ""
	}
	if _, value, _ := strings.Cut(src.line(at.Line), key+":"); strings.HasPrefix(strings.TrimSpace(value), "#") {
		return "put quotes around the text: a # behind a blank begins a comment"
	}
	return "write it behind the colon"
}

// inherited inspects the options of an operator in the _export of tasks above, the nearest first.
// Each is reported once, however many tasks inherit it.
func (in *inspection) inherited(t tree, index int, known Operator, seen map[string]bool) {
	for above, at := range t.above(index) {
		task := &above.compiler.tasks[at]
		for key, value := range task.Export.All() {
			v, isKey := known.Keys[key]
			if seen[key] || !isKey && !known.hasBlock(key) {
				continue
			}
			seen[key] = true
			id := exported{task.Export, strings.Join(known.Blocks, " "), key}
			if in.judged[id] {
				continue
			}
			in.judged[id] = true
			if isKey {
				in.judge(above, at, value, v, keyExport, key)
			} else {
				in.block(above, at, value, known, []string{key}, keyExport, key)
			}
		}
	}
}

// exported is an option in an _export that was inspected.
type exported struct {
	export      *param.Map
	blocks, key string // of the operator; the option
}

// block inspects a block with options of an operator, and the blocks in it, at a path of keys in a task.
func (in *inspection) block(t tree, index int, value param.Value, known Operator, name []string, path ...string) {
	object, ok := value.(*param.Map)
	if !ok {
		in.judge(t, index, value, Value{Kind: Object}, path...)
		return
	}
	for key, inner := range object.All() {
		deeper, at := append(slices.Clone(name), key), append(slices.Clone(path), key)
		if v, ok := known.Keys[key]; ok {
			in.judge(t, index, inner, v, at...)
		}
		if known.hasBlock(deeper...) {
			in.block(t, index, inner, known, deeper, at...)
		}
		in.misspeltInBlock(t, index, key, strings.Join(name, "."), at)
	}
}

// misspeltInBlock warns about a key of a block that nothing reads and that looks like one that is read. Other unknown keys
// may be parameters of anything, such as scripts.
func (in *inspection) misspeltInBlock(t tree, index int, key, block string, path []string) {
	known := in.blockKeys(block)
	if slices.Contains(known, key) || !in.wants(t.file, "") {
		return
	}
	if near := param.Similar(key, known); len(near) > 0 && !named(in.wordsOfFile(t.file), key) {
		task := &t.compiler.tasks[index]
		in.warnAt(t, index, ruleUnused, fmt.Sprintf(UnusedKey, block+"."+key, task.FullName), didYouMean(near), path...)
	}
}

// blockKeys returns the keys that any operator reads of a block.
func (in *inspection) blockKeys(block string) []string {
	if keys, ok := in.keysOfBlocks[block]; ok {
		return keys
	}
	all := map[string]bool{}
	for _, o := range in.catalog.Operators {
		if !slices.Contains(o.Blocks, block) {
			continue
		}
		for key := range o.Keys {
			all[key] = true
		}
		for _, other := range o.Blocks {
			if rest, ok := strings.CutPrefix(other, block+"."); ok {
				all[rest] = true
			}
		}
	}
	keys := slices.Sorted(maps.Keys(all))
	in.keysOfBlocks[block] = keys
	return keys
}

// wordsOfFile returns the words in the expressions of a file.
func (in *inspection) wordsOfFile(file string) map[string]bool {
	if words, ok := in.words[file]; ok {
		return words
	}
	words := map[string]bool{}
	if src := in.sources.get(file); src != nil {
		words = wordsOf(expressionsOf(src.text))
	}
	in.words[file] = words
	return words
}

// inherits reports whether a task has a parameter from the _export of a task above.
func (in *inspection) inherits(t tree, index int, key string) bool {
	for above, at := range t.above(index) {
		if above.compiler.tasks[at].Export.Has(key) {
			return true
		}
	}
	return false
}

// above yields a task and all tasks above it, up to the root of its file, each with its tree.
func (t tree) above(index int) iter.Seq2[tree, int] {
	return func(yield func(tree, int) bool) {
		for at := index; ; {
			if !yield(t, at) {
				return
			}
			if at = t.compiler.tasks[at].Parent; at >= 0 {
				continue
			}
			if t.outer == nil {
				return
			}
			at, t = t.owner, *t.outer
		}
	}
}

// judge warns about what is wrong with the value at a path of keys in a task.
func (in *inspection) judge(t tree, index int, value param.Value, v Value, path ...string) {
	in.judgeAs(t, index, value, v, path[len(path)-1], path...)
}

// judgeAs is judge for a value that messages call by another name.
func (in *inspection) judgeAs(t tree, index int, value param.Value, v Value, name string, path ...string) {
	for _, f := range judge(name, value, v) {
		in.warnAt(t, index, ruleValue, f.message, f.hint, append(slices.Clone(path), f.path...)...)
	}
}

// refused reports whether the compiler refuses a task itself.
func (t tree) refused(index int) bool {
	return slices.ContainsFunc(t.compiler.thrown, func(p problem) bool { return p.task == index && p.inner == nil })
}

// hasMeant reports whether a body has a key that people write for a directive.
func hasMeant(body *param.Map, directive string) bool {
	for key := range body.All() {
		if meantDirective(key) == directive {
			return true
		}
	}
	return false
}

// isVariable reports whether a text may be the name of a variable of a command (operators 1.7).
func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return name != ""
}
