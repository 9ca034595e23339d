package dig

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of warnings. Where Digdag has one, it is what the task will report when it runs.
const (
	unknownOperator = "Unknown task type: %s"                            // L54
	calledOutside   = "File name must not be outside of the project: %s" // ours
	calledMissing   = "File not found: %s"                               // O14
	requiredMissing = "Workflow '%s' does not exist in this project"     // ours
)

// directives returns the keys with an underscore that have a meaning on an operator task.
func directives() []string {
	return []string{
		keyAfter, keyBackground, keyCheck, keyCommand, keyDisable, keyDo, keyElseDo, keyEnv, keyError, keyExport,
		keyParallel, keyRetry, keySecrets, keyType, keyWorkdir,
	}
}

// UnusedKey is the text about a key of a task that nothing reads (language L55).
const UnusedKey = "Parameter '%s' is not used at task %s."

// task inspects one task: its operator, its keys, and the bodies that are compiled when it runs.
func (in *inspection) task(t tree, index int, workdir string) {
	task := &t.compiler.tasks[index]
	if own, ok := task.Local.Get(keyWorkdir); ok {
		workdir, _ = param.AsString(own)
	}
	for _, key := range []string{keyError, keyCheck, keyDo, keyElseDo} {
		value, _ := task.Local.Get(key)
		if body, ok := value.(*param.Map); ok && body.Len() > 0 {
			t.workdir = workdir
			in.body(t, index, key, body, bodyName(key))
		}
	}
	if in.only != "" { // operators are compared by Check only
		return
	}
	in.expressions(t, index)
	in.directives(t, index)
	if task.Group {
		return
	}
	key, name, command := operatorOf(task.Local)
	if isTemplate(name) {
		return
	}
	known, ok := in.catalog.Operators[name]
	if !ok {
		if in.catalog.Operators != nil && in.wants(t.file, "") { // the hint looks at all operators
			in.warnAt(t, index, ruleOperator, fmt.Sprintf(unknownOperator, name), in.operatorHint(name), key)
		}
		return
	}
	in.unusedKeys(t, index, name, known)
	in.operatorValues(t, index, key, name, known)
	text, _ := param.AsString(command)
	switch {
	case text == "" || isTemplate(text) || isTemplate(workdir):
	case name == "call":
		in.called(t, index, key, text, workdir)
	case name == "require" && !task.Local.Has("project_name") && !task.Local.Has("project_id") && !in.workflows[text]:
		hint := didYouMean(param.Similar(text, slices.Sorted(maps.Keys(in.workflows))))
		if bare := strings.TrimSuffix(text, suffix); in.workflows[bare] {
			hint = didYouMean([]string{bare})
		}
		if hint == "" {
			hint = "one of another project needs project_name"
		}
		in.warnAt(t, index, ruleRequire, fmt.Sprintf(requiredMissing, text), hint, key)
	}
}

// bodyName returns the name of the tree that the body of a key becomes.
func bodyName(key string) string {
	switch key {
	case keyError:
		return "^error"
	case keyCheck:
		return "^check"
	default:
		return "^sub"
	}
}

// body inspects a body that is compiled when its task runs. What is refused then is a warning now. The
// body of _error is compiled at once, and has been reported with the task.
func (in *inspection) body(t tree, index int, key string, body *param.Map, name string) {
	inner := tree{
		file: t.file, prefix: append(t.path(problem{task: index}), key), severity: SeverityWarning,
		workdir: t.workdir, compiler: compile(t.compiler.tasks[index].FullName, name, body), outer: &t, owner: index,
	}
	if key == keyError {
		inner.compiler.thrown, inner.compiler.unknown, inner.compiler.options = nil, nil, nil
	}
	in.tree(inner)
}

// warnAt adds a warning about a path of keys in a task.
func (in *inspection) warnAt(t tree, index int, rule, message, hint string, path ...string) {
	if !in.wants(t.file, "") {
		return
	}
	keys := append(t.path(problem{task: index}), path...)
	in.tell(Finding{
		Place: in.sources.locate(t.file, keys), Severity: SeverityWarning, Rule: rule, Message: message, Hint: hint,
	})
}

// operatorOf returns the operator's key, its name and its command (language L48).
func operatorOf(body *param.Map) (key, name string, command param.Value) {
	if value, ok := body.Get(keyType); ok {
		name, _ = param.AsString(value)
		command, _ = body.Get(keyCommand)
		return keyType, name, command
	}
	for k, value := range body.All() {
		if isOperatorKey(k) {
			return k, strings.TrimSuffix(k, ">"), value
		}
	}
	return "", "", nil
}

// OperatorOf returns the name of a body's operator (language L48); empty for a group.
func OperatorOf(body *param.Map) string {
	_, name, _ := operatorOf(body)
	return name
}

func isTemplate(text string) bool { return strings.Contains(text, "${") }

// unusedKeys warns about keys that the operator does not read and that no expression of the task names.
func (in *inspection) unusedKeys(t tree, index int, name string, operator Operator) {
	if !in.wants(t.file, "") {
		return
	}
	task := &t.compiler.tasks[index]
	known := append(slices.Sorted(maps.Keys(operator.Keys)), directives()...)
	words := sync.OnceValue(func() map[string]bool { return wordsOf(expressionsOf(task.Local)) })
	for key := range task.Local.All() {
		if !in.wants(t.file, "") {
			return
		}
		if key == name || isOperatorKey(key) || slices.Contains(known, key) || IsOption(key) || key == keyRate {
			continue
		}
		if directive := meantDirective(key); directive != "" && operator.Generates && !task.Local.Has(directive) && !named(words(), key) {
			in.warnAt(t, index, ruleUnused, fmt.Sprintf(UnusedKey, key, task.FullName), didYouMean([]string{directive}), key)
			continue
		}
		meant := meantOption(key)
		near := param.Similar(key, known)
		if !operator.Open || meant != "" || strings.HasPrefix(key, "_") {
			near = nearOptions(key, known)
		}
		if len(near) == 0 && operator.Open && !foreignDirective(key) {
			continue // it becomes a variable
		}
		if named(words(), key) {
			continue
		}
		hint := didYouMean(near)
		if meant != "" {
			in.tellAt(t, index, findingSpelling, fmt.Sprintf(UnusedKey, key, task.FullName), hint, key)
			continue
		}
		if hint == "" && strings.HasPrefix(key, "_") {
			hint = "remove it: keys that begin with _ belong to the language, and it has no such one"
		}
		if hint == "" {
			hint = "remove it, or name it in an expression: other tasks cannot see it"
		}
		in.warnAt(t, index, ruleUnused, fmt.Sprintf(UnusedKey, key, task.FullName), hint, key)
	}
}

// meantDirective returns the directive that people mean by a key; empty for none.
func meantDirective(key string) string {
	switch key {
	case "do", "then", "_then":
		return keyDo
	case "else", "_else", "else_do", "otherwise", "_otherwise":
		return keyElseDo
	}
	return ""
}

// foreignDirective reports whether a key has the name of a directive of another system. All
// others with an underscore may be variables of commands.
func foreignDirective(key string) bool {
	switch key {
	case "_timeout", "_execution_timeout", "_when", "_if", "_skip", "_priority", "_depends_on", "_needs", "_requires", "_trigger_rule",
		"_continue_on_error", "_allow_failure", "_ignore_failure", "_always", "_finally", "_on_error", "_on_failure", "_on_success", "_cache":
		return true
	}
	return false
}

// expressionsOf returns about everything between ${ and } in a body.
func expressionsOf(v param.Value) string {
	var b strings.Builder
	rest := param.JSON(v)
	for {
		_, after, found := strings.Cut(rest, "${")
		if !found {
			return b.String()
		}
		expression, next, _ := strings.Cut(after, "}")
		b.WriteString(expression + " ")
		rest = next
	}
}

// wordsOf returns the words of a text that can be names in expressions.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		words[word] = true
	}
	return words
}

// named reports whether a key, or each of its parts, is among words, as in params["my-key"].
func named(words map[string]bool, key string) bool {
	parts := wordsOf(key)
	for part := range parts {
		if !words[part] {
			return false
		}
	}
	return len(parts) > 0
}

// called inspects the file that call> names (language O14).
func (in *inspection) called(t tree, index int, key, name, workdir string) {
	if !strings.HasSuffix(name, suffix) {
		name += suffix
	}
	file := path.Join(workdir, name)
	if path.IsAbs(name) || file == ".." || strings.HasPrefix(file, "../") {
		in.warnAt(t, index, ruleCall, fmt.Sprintf(calledOutside, name), "move the file below the project's folder, and name it from there", key)
		return
	}
	if _, err := fs.Stat(in.project.files, file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			in.warnAt(t, index, ruleCall, fmt.Sprintf(calledMissing, file), in.fileHint(file), key)
		}
		return
	}
	in.workflowFile(file, SeverityWarning)
}

// fileHint suggests files in the folder with similar names.
func (in *inspection) fileHint(file string) string {
	const otherwise = "the path counts from the task's working directory: the project's folder, or _workdir"
	entries, err := fs.ReadDir(in.project.files, path.Dir(file))
	if err != nil {
		return otherwise
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), suffix) && entry.Name() != suffix {
			names = append(names, entry.Name())
		}
	}
	if near := param.Similar(path.Base(file), names); len(near) > 0 {
		return didYouMean(near)
	}
	return otherwise
}
