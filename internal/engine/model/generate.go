package model

import (
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// insert adds compiled tasks, blocked.
func (m *Model) insert(tasks []dig.Task, parent trowel.TaskID, upstreams []trowel.TaskID, flags trowel.TaskFlags) {
	first := len(m.Tasks) + 1
	id := func(index int) trowel.TaskID { return trowel.TaskID(first + index) }
	for i, spec := range tasks {
		t := &Task{ID: id(i), Name: spec.FullName, Group: spec.Group, Local: spec.Local, Export: spec.Export, Flags: flags}
		if spec.Parent < 0 {
			t.Parent, t.Upstreams = parent, upstreams
		} else {
			t.Parent = id(spec.Parent)
		}
		for _, up := range spec.Upstreams {
			t.Upstreams = append(t.Upstreams, id(up))
		}
		m.takeOver(t)
		m.Tasks = append(m.Tasks, t)
	}
}

var errTooMany = errors.New("task limit exceeded")

// compile makes a generated tree and checks the limit (C36).
func (m *Model) compile(t *Task, name string, body *param.Map, more int) ([]dig.Task, error) {
	tree, err := dig.Compile(t.Name, name, body)
	if err != nil {
		return nil, err
	}
	if err := dig.CheckExports(tree); err != nil {
		return nil, err
	}
	if current := len(m.Tasks) + more; current+len(tree) > m.limit {
		return nil, fmt.Errorf("Too many tasks. Limit: %d, Current: %d, Adding: %d (%w)", m.limit, current, len(tree), errTooMany) //nolint:staticcheck // Digdag's text
	}
	return tree, nil
}

// succeed is the success of an operator (3.4, 3.6, X22).
func (m *Model) succeed(t *Task, result trowel.Result) {
	var sub, check []dig.Task
	var err error
	if result.Subtasks.Len() > 0 {
		sub, err = m.compile(t, "^sub", result.Subtasks, 0)
	}
	if value, _ := directive(t, "_check"); err == nil {
		if body, ok := value.(*param.Map); ok && body.Len() > 0 {
			check, err = m.compile(t, "^check", body, len(sub))
		}
	}
	if err != nil {
		m.fail(t, failureOf(err))
		return
	}
	for _, c := range m.children(t) {
		c.Forgotten = !m.ofSLA(c) // S45b
	}
	t.Result = result
	t.State = trowel.TaskSuccess
	var after []trowel.TaskID
	if len(sub) > 0 {
		t.State = trowel.TaskPlanned
		after = []trowel.TaskID{trowel.TaskID(len(m.Tasks) + 1)}
		m.insert(sub, t.ID, nil, trowel.TaskInitial)
	}
	if len(check) > 0 {
		t.State = trowel.TaskPlanned
		m.insert(check, t.ID, after, 0)
	}
}

func failureOf(err error) *param.Map {
	if known, ok := errors.AsType[*dig.Error](err); ok {
		return trowel.ErrorObject(known.Message, known.Kind)
	}
	return trowel.ErrorObject(err.Error(), "")
}

// fail is the failure of an operator (3.4, X19, X20).
func (m *Model) fail(t *Task, object *param.Map) {
	t.Error = object
	t.State = trowel.TaskError
	if tree, ok := m.errorTasks(t, object, param.New()); ok && len(tree) > 0 {
		m.insert(tree, t.ID, nil, 0)
		t.Flags |= trowel.TaskDelayedError
		t.State = trowel.TaskPlanned
	}
}

// errorTasks compiles the _error body; ok is false if it is over the limit (C39, X22).
func (m *Model) errorTasks(t *Task, object, stores *param.Map) (tree []dig.Task, ok bool) {
	value, _ := directive(t, "_error")
	body, isMap := value.(*param.Map)
	if !isMap || body.Len() == 0 {
		return nil, true
	}
	export := param.New()
	if own, found := body.Get("_export"); found {
		if own, isMap := own.(*param.Map); isMap {
			export.Merge(own)
		}
	}
	export.Merge(stores)
	export.Set("error", object)
	body = body.Clone()
	body.Set("_export", export)
	tree, err := m.compile(t, "^error", body, 0)
	if err != nil {
		return nil, !errors.Is(err, errTooMany)
	}
	return tree, true
}

// addFailureTasks is X15: the alert of the root, and ^error with what is below (X19).
func (m *Model) addFailureTasks(t *Task) bool {
	stores, object := param.New(), param.New()
	for _, d := range m.descendants(t) {
		stores.Merge(d.Result.Store)
		object.Merge(d.Error)
	}
	before := len(m.Tasks)
	if t.Parent == 0 {
		alert := param.Of("_type", "notify", "_command", "Workflow session attempt failed")
		m.insert([]dig.Task{{Parent: -1, FullName: t.Name + "^failure-alert", Local: alert, Export: param.New()}}, t.ID, nil, 0)
	}
	tree, ok := m.errorTasks(t, object, stores)
	if !ok {
		m.Tasks = m.Tasks[:before] // the alert is rolled back too (C39)
		return false
	}
	if len(tree) > 0 {
		m.insert(tree, t.ID, nil, 0)
	}
	return len(m.Tasks) > before
}
