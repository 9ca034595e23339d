package dig

import (
	"fmt"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of C5, C7 and C14.
const (
	taskNull        = "Parameter '%s' is required but null"
	taskNotObject   = "Parameter '%s' must be an object or array of objects"
	elementNoObject = "Expected object but got %s"
	taskSubtasks    = "A task can't have subtasks: %s"
	taskOperators   = "A task can't have more than one operator: %s"
	invalidKeys     = "contains invalid keys: %s"
	groupKey        = "'%s'"
	groupKeyNear    = "'%s' (did you mean [%s]?)"
)

// groupKeys returns the keys a group may have, in the order in which near misses are offered (C14).
func groupKeys() []string {
	return []string{
		keySchedule, keyParallel, keyTimezone, keyError, keySLA, keyCheck,
		keyExport, keySecrets, keyBackground, keyRetry, keyAfter,
	}
}

// Compile turns a body into tasks (language section 2). The root of workflow w is named "+w" and
// has no parent: Compile("", "+w", definition). A generated tree has the full name of the task above
// it: Compile("+w+loop", "^sub", body). The error is an *Error with the text that
// Digdag reports first. Bodies of _error are compiled too, and thrown away (C34).
func Compile(parentFullName, name string, body *param.Map) ([]Task, error) {
	c := compile(parentFullName, name, body)
	if err := c.refusal(); err != nil {
		return nil, err
	}
	return c.tasks, nil
}

// CompileAt is Compile for a body whose place is known.
func CompileAt(origin trowel.Origin, parentFullName, name string, body *param.Map) ([]Task, error) {
	tasks, err := Compile(parentFullName, name, body)
	setOrigins(tasks, origin)
	return tasks, err
}

// compiler collects tasks and everything that is wrong with them. It goes on after a problem, so that
// Check can report all of them. refusal returns the one that Digdag reports.
type compiler struct {
	tasks   []Task
	empty   *param.Map // the export of tasks without one
	thrown  []problem  // refused immediately, in Digdag's order
	unknown []problem  // groups with invalid keys, which Digdag reports all at once at the end
	options []problem  // about Trowel's own keys, reported after all that Digdag refuses
}

// problem is one mistake. path leads from the body of the task to its place.
type problem struct {
	task  int
	path  []string
	id    string // of its finding, if it is about an option of Trowel
	err   *Error
	again bool      // Digdag reports it together with the problem before
	inner *compiler // the body at path has problems of its own; err is the first of them
	lacks string    // see optionError
	takes []string  // see optionError
}

func compile(parentFullName, name string, body *param.Map) *compiler {
	c := &compiler{empty: param.New()}
	c.add(-1, parentFullName, name, body)
	return c
}

func (c *compiler) throw(task int, err *Error, path ...string) {
	c.thrown = append(c.thrown, problem{task: task, path: path, err: err})
}

// refusal returns what Digdag reports: the first problem in thrown, else the first wrong name,
// else all invalid keys.
func (c *compiler) refusal() error {
	if len(c.thrown) > 0 {
		return c.thrown[0].err
	}
	for i := range c.tasks {
		if err := nameProblem(c.tasks[i].Name); err != nil {
			return err
		}
	}
	if len(c.unknown) == 0 {
		return c.optionRefusal()
	}
	v := validation{model: "workflow"}
	for _, p := range c.unknown {
		if !p.again {
			v.lines = append(v.lines, p.err.Message)
		}
	}
	return v.compiling()
}

// optionRefusal returns the first wrong option, with the name of its task.
func (c *compiler) optionRefusal() error {
	if len(c.options) == 0 {
		return nil
	}
	p := c.options[0]
	return configError(c.tasks[p.task].FullName + ": " + p.err.Message)
}

func nameProblem(name string) *Error {
	if goodTaskName(name) {
		return nil
	}
	v := validation{model: "workflow task"}
	v.taskName("name", name)
	return v.compiling()
}

// child is a key with a plus and its body.
type child struct {
	name string
	body *param.Map
}

// add compiles a body and everything below it, and returns the index of its task.
func (c *compiler) add(parent int, parentFullName, name string, body *param.Map) int {
	index := len(c.tasks)
	c.tasks = append(c.tasks, Task{Parent: parent, Name: name, FullName: parentFullName + name})
	children, rest := c.split(index, body)
	disabled := c.flag(index, rest, keyDisable)
	switch {
	case disabled: // C4.2
		rest = param.Of(keyDisable, true)
		c.set(index, rest, true)
	case isOperator(rest): // C4.3
		c.set(index, rest, false)
		c.checkOperator(index, rest, children)
		c.checkOptions(index, rest)
		c.compileError(index, rest)
	default: // C4.4
		c.set(index, rest, true)
		c.checkKeys(index, rest)
		c.checkOptions(index, rest)
		first := len(c.tasks)
		indexes := make([]int, 0, len(children))
		for _, child := range children {
			indexes = append(indexes, c.add(index, c.tasks[index].FullName, child.name, child.body))
		}
		if len(c.tasks) > first {
			c.order(index, indexes)
		} else {
			c.checkParallel(index)
		}
		c.compileError(index, rest)
	}
	return index
}

// flag reads a key as a boolean. Absent and null mean false.
func (c *compiler) flag(index int, body *param.Map, key string) bool {
	value, _ := body.Get(key)
	if value == nil {
		return false
	}
	on, ok := param.AsBool(value)
	if !ok {
		c.throw(index, asError(param.WrongType(key, param.TypeBool, value)), key)
	}
	return on
}

// set stores the body of a task without its _export, which is stored separately (language C3).
func (c *compiler) set(index int, body *param.Map, group bool) {
	t := &c.tasks[index]
	t.Group = group
	t.Local, t.Export = body, c.empty
	value, ok := body.Get(keyExport)
	if !ok {
		return
	}
	export, isMap := value.(*param.Map)
	if !isMap && value != nil {
		return // CheckExports refuses it later
	}
	t.Local = body.Clone()
	t.Local.Delete(keyExport)
	if isMap {
		t.Export = export
	}
}

// split takes the children out of a body (C4.1).
func (c *compiler) split(index int, body *param.Map) ([]child, *param.Map) {
	count := 0
	for key := range body.All() {
		if isTaskKey(key) {
			count++
		}
	}
	if count == 0 {
		if body == nil {
			return nil, c.empty
		}
		return nil, body
	}
	children := make([]child, 0, count)
	rest := param.New()
	for key, value := range body.All() {
		if !isTaskKey(key) {
			rest.Set(key, value)
			continue
		}
		inner, err := childBody(key, value)
		if err != nil {
			c.throw(index, err, key)
			continue
		}
		children = append(children, child{key, inner})
	}
	return children, rest
}

func isTaskKey(key string) bool { return strings.HasPrefix(key, "+") }

// childBody reads the body of a child: an object, or a list of objects. The objects of a list are merged in order,
// key by key and not deeply (C5, L66).
func childBody(key string, value param.Value) (*param.Map, *Error) {
	switch value := value.(type) {
	case *param.Map:
		return value, nil
	case param.List:
		body := param.New()
		for _, element := range value {
			m, ok := element.(*param.Map)
			if !ok {
				message := fmt.Sprintf(elementNoObject, param.JSON(element))
				return nil, &Error{Kind: KindObjectMapping, Message: message}
			}
			for k, v := range m.All() {
				body.Set(k, v)
			}
		}
		return body, nil
	default:
		return nil, configErrorf(taskNotObject, key)
	}
}

func isOperator(body *param.Map) bool {
	for key := range body.All() {
		if isOperatorKey(key) || key == keyType {
			return true
		}
	}
	return false
}

func isOperatorKey(key string) bool { return strings.HasSuffix(key, ">") }

func (c *compiler) checkOperator(index int, body *param.Map, children []child) {
	if len(children) > 0 {
		c.throw(index, configErrorf(taskSubtasks, param.JSON(body)), children[0].name)
		return
	}
	operators := 0
	for key := range body.All() {
		if !isOperatorKey(key) {
			continue
		}
		if operators++; operators == 2 {
			c.throw(index, configErrorf(taskOperators, param.JSON(body)), key)
			return
		}
	}
}

// compileError compiles the body of _error and throws the tasks away (C34).
func (c *compiler) compileError(index int, body *param.Map) {
	value, _ := body.Get(keyError)
	if value == nil {
		return
	}
	inner, ok := value.(*param.Map)
	if !ok {
		c.throw(index, asError(param.NotObject(keyError)), keyError)
		return
	}
	if inner.Len() == 0 {
		return
	}
	sub := compile(c.tasks[index].FullName, "^error", inner)
	if err := sub.refusal(); err != nil {
		c.thrown = append(c.thrown, problem{task: index, path: []string{keyError}, err: asError(err), inner: sub})
	}
}

// checkKeys refuses keys that have no meaning on a group (C14).
func (c *compiler) checkKeys(index int, body *param.Map) {
	var keys, told []string
	for key := range body.All() {
		if !isGroupKey(key) {
			keys = append(keys, key)
			told = append(told, nearKey(key))
		}
	}
	if keys == nil {
		return
	}
	v := validation{}
	v.add(c.tasks[index].FullName, fmt.Sprintf(invalidKeys, strings.Join(told, ", ")), param.JSON(body))
	for i, key := range keys {
		c.unknown = append(c.unknown, problem{
			task: index, path: []string{key}, err: configError(v.lines[0]), again: i > 0,
		})
	}
}

func isGroupKey(key string) bool {
	return strings.HasPrefix(key, "_") && (slices.Contains(groupKeys(), key) || IsOption(key)) ||
		key == keySchedule || key == keySLA || key == keyTimezone || slices.Contains(controlKeys(), key)
}

func nearKey(key string) string {
	near := param.Near(key, groupKeys())
	if len(near) == 0 {
		return fmt.Sprintf(groupKey, key)
	}
	return fmt.Sprintf(groupKeyNear, key, strings.Join(near, ", "))
}
