package dig

import (
	"maps"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// didYouMean offers near misses, or nothing.
func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// operatorHint suggests operators with similar names.
func (in *inspection) operatorHint(name string) string {
	return OperatorHint(name, slices.Sorted(maps.Keys(in.catalog.Operators)))
}

// OperatorHint suggests operators of a list for a name that does not exist. It is empty if none is similar.
func OperatorHint(name string, names []string) string {
	bare := strings.TrimSpace(name)
	if bare != name && slices.Contains(names, bare) {
		return "remove the blank before the >"
	}
	if slices.Contains(pluginOperators(), bare) {
		return "this is an operator of a plugin of Digdag, which Trowel does not have: call the program or API that it stands for with sh>, py> or http>"
	}
	name = usualName(bare)
	if slices.Contains(names, name) {
		return "did you mean " + name + ">?"
	}
	var near []string
	for _, candidate := range param.Similar(name, names) {
		near = append(near, candidate+">")
	}
	if near == nil {
		return "`trowel help operators` lists those that there are"
	}
	return didYouMean(near)
}

// pluginOperators returns operators that projects have of plugins of Digdag, or of its older versions.
func pluginOperators() []string {
	return []string{
		"athena.add_partition", "athena.apas", "athena.ctas", "athena.drop_partition", "athena.drop_table", "athena.drop_table_multi",
		"athena.preview", "athena.query", "athena.table_exists", "athena.table_not_exists", "s3_copy", "s3_delete", "s3_move", "s3_touch",
		"snowflake",
	}
}

// usualName returns the operator that people mean by a common other name.
func usualName(name string) string {
	switch strings.TrimSuffix(strings.ToLower(name), "operator") {
	case "bash", "shell", "command", "exec", "run", "cmd":
		return "sh"
	case "python", "python3":
		return "py"
	case "ruby":
		return "rb"
	case "print", "log":
		return "echo"
	case "foreach", "for-each", "for":
		return "for_each"
	case "range", "for-range":
		return "for_range"
	case "include":
		return "call"
	case "email":
		return "mail"
	case "simplehttp", "curl":
		return "http"
	case "sleep":
		return "wait"
	case "error":
		return "fail"
	default:
		return name
	}
}

// Hints for several messages.
const (
	operatorBelowHint = "write the operator below the task's name: `+name:` and in the next line `  echo>: text`"
	parallelHint      = "write `_parallel: true` or `_parallel: {limit: 3}`"
	plainBooleanHint  = "write true or false: expressions are not evaluated here"
	renameHint        = "rename the file so that its name begins with a letter"
	shareHint         = "put what is shared into a file that call> runs, or split the project"
	quoteHint         = "put quotes around a text that begins with "
)

// hintRule is a hint for messages that contain a text.
type hintRule struct{ text, hint string }

// hintRules are tried in order.
//
//nolint:gochecknoglobals // a table that never changes
var hintRules = []hintRule{
	{"more than one operator", "move one of the operators into a task of its own"},
	{"can't have subtasks", "move the operator into a task of its own beside the + tasks"},
	{param.RequiredButNull, "give it a body, such as `echo>: text`, or {} for a group that does nothing"},
	{"must be an object or array of objects", operatorBelowHint},
	{"Expected object but got", operatorBelowHint},
	{"invalid if its parent task doesn't have", "put `_parallel: true` into the group, or remove _after: tasks of this group run one after the other"},
	{"invalid (unnecessary) if its parent", "remove _background: all tasks of this group run in parallel"},
	{"Expected array type for key '_after'", "write a list: `_after: [+a, +b]`"},
	{"Invalid _parallel format", parallelHint},
	{"for key '_parallel'", plainBooleanHint},
	{"must not contain ^", "^ is kept for tasks that Trowel generates"},
	{"must not start with a numeric digit", renameHint},
	{"must not include special symbols", renameHint},
	{"File name must not include ..", "a file can only include files of its own folder or below it"},
	{"No such file", "the path counts from the folder of this file"},
	{"File includes itself", "remove one of the includes"},
	{"Expected object to load Config", "a .dig file holds keys with values, such as `+task:`"},
	{"'_export' must be an object", "write parameters as keys below _export"},
	{"'_error' must be an object", "write an operator or + tasks below _error"},
	{"for key 'schedule'", "write `schedule:` and in the next line, indented, a kind: `daily>: 07:00:00`"},
	{"Schedule config requires", "name a kind: `daily>: 07:00:00`, hourly>, weekly>, monthly>, minutes_interval> or cron>"},
}

// hint says how to mend what the loader or the compiler refused. key is the wrong one.
func (in *inspection) hint(message, key string) string {
	switch {
	case strings.Contains(message, "includes unknown keys"):
		return in.topKeyHint(key)
	case strings.Contains(message, "contains invalid keys"):
		return in.groupKeyHint(key)
	case strings.Contains(message, param.RequiredButNull) && !isTaskKey(key):
		return "give it a value, or remove it"
	case strings.HasPrefix(message, "Expected 'true' or 'false' for key '"):
		if m := wrongTypeText.FindStringSubmatch(message); m != nil {
			if near := booleanHint(strings.Trim(m[3], `"`)); strings.HasPrefix(near, "did you mean") {
				return near
			}
		}
		return plainBooleanHint
	case strings.Contains(message, "for key 'timezone'"):
		return zoneHint(message)
	case strings.HasPrefix(message, "Schedule config requires ") && key != "" && key != keySchedule:
		if slices.Contains(scheduleKinds(), key+">") {
			return didYouMean([]string{key + ">"})
		}
		return scheduleHint(key + ">")
	case strings.HasPrefix(message, "Unknown scheduler type"):
		return scheduleHint(key)
	case strings.Contains(message, "must not contain character"):
		return nameHint(message)
	case strings.HasPrefix(message, "Dependency task"):
		return "_after can name tasks that stand above it in the same group, as `+name`"
	}
	if strings.HasPrefix(message, "A task can't have ") {
		for name, operator := range in.catalog.Operators {
			if operator.Generates && strings.Contains(message, `"`+name+`>":`) {
				return "put what " + name + "> shall run below `_do:`, beside it"
			}
		}
	}
	if mend := scheduleMend(message); mend != "" {
		return mend
	}
	for _, rule := range hintRules {
		if strings.Contains(message, rule.text) {
			return rule.hint
		}
	}
	return ""
}

// nameHint says which names are allowed, for a message that ends with the name in quotation marks.
func nameHint(message string) string {
	const letters = "use letters, digits and - _ = [ ] { } % & @ , ."
	_, name, _ := strings.Cut(message, `: "`)
	name = strings.TrimPrefix(strings.TrimSuffix(name, `"`), "+")
	if isTemplate(name) {
		return "names are not evaluated: for_each> makes tasks of a list, and names them"
	}
	words := strings.FieldsFunc(name, func(c rune) bool { return !isTaskNameRune(c) })
	if len(words) == 0 {
		return letters
	}
	return letters + ", as in +" + strings.Join(words, "_")
}

func scheduleHint(key string) string {
	kinds := scheduleKinds()
	if near := param.Similar(key, kinds); len(near) > 0 {
		return didYouMean(near)
	}
	return "use " + strings.Join(kinds[:5], ", ") + " or " + kinds[5]
}

func (in *inspection) topKeyHint(key string) string {
	if isOperatorKey(key) {
		return "put the operator into a task: `+name:` and in the next line `  " + key + ": ...`"
	}
	if _, ok := in.catalog.Operators[key]; ok {
		return "did you mean a task with the operator " + key + ">?"
	}
	known := slices.Concat([]string{keyTimezone, keyExport}, topLevelKeys(), ControlKeys())
	if near := nearOptions(key, known); len(near) > 0 {
		return didYouMean(near)
	}
	return "tasks begin with +, and parameters belong below _export"
}

func (in *inspection) groupKeyHint(key string) string {
	if _, ok := in.catalog.Operators[key]; ok {
		return "did you mean " + key + ">?"
	}
	if near := nearOptions(key, groupKeys()); len(near) > 0 {
		return didYouMean(near)
	}
	if strings.HasPrefix(key, "_") {
		return "this key means something only on a task with an operator"
	}
	return "a group has no operator that could read it: parameters belong below _export, and tasks begin with +"
}

// syntaxRules are hints for errors of YAML.
//
//nolint:gochecknoglobals // a table that never changes
var syntaxRules = []hintRule{
	{"(TAB)", "use blanks instead of tabs"},
	{"found undefined alias", quoteHint + "*"},
	{"while scanning an alias", quoteHint + "*"},
	{"while scanning an anchor", quoteHint + "&"},
	{"tag !include", "write `!include : 'path'` as a key, with a blank before the colon"},
	{"for the tag !", quoteHint + "!"},
	{"while scanning a tag", quoteHint + "!"},
	{"cannot start any token", quoteHint + "this character"},
	{"while scanning a directive", quoteHint + "%"},
	{"found unknown escape", `double the backslash, or use single quotes`},
	{"while scanning a quoted scalar", "close the quotation marks"},
	{"Duplicated keys", "rename or remove one of them"},
	{"special characters are not allowed", "remove the control character"},
	{"single document", "remove the line ---"},
	{"Null key", `put quotes around the key: "null"`},
	{"mapping values are not allowed", "put quotes around a text with a colon in it, or check the indentation"},
	{"could not find expected ':'", "add a colon behind the key, or indent the line if it continues the text above"},
	{"but found ':'", "write a key before the colon"},
	{"expected <block end>", "begin all keys of one mapping in the same column"},
	{"expected the node content, but found ','", "remove one of the commas"},
	{"while scanning a block scalar", "begin the text in the next line, indented"},
	{"while parsing a flow", "close the bracket, and put a comma between the entries"},
	{"sequence entries are not allowed", "put the - into a line of its own"},
	{"for merging", "give << a mapping, or a list of mappings"},
	{"aliases and included files stand for", shareHint},
	{"included files have more than", shareHint},
	{"stand for more than", "write the values out, or use fewer aliases"},
	{"within the value that it stands for", "a value cannot contain itself"},
}

// syntaxHint says how to mend an error of YAML. line is where it was found.
func syntaxHint(message, line string) string {
	if strings.Contains(line, "${") && strings.Contains(message, "while parsing a flow") {
		return "put quotes around ${...} within { } and [ ]"
	}
	if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		return "use blanks instead of tabs"
	}
	for _, rule := range syntaxRules {
		if strings.Contains(message, rule.text) {
			return rule.hint
		}
	}
	return ""
}
