package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// ResumeFailed lists the tasks of an attempt that count as done when it is resumed (X65): of each
// name the newest (X71 is mended), if it succeeded.
func (m *Model) ResumeFailed() ([]*Task, error) {
	if m.Tasks[0].State == trowel.TaskSuccess {
		return nil, errors.New("Resuming successfully completed attempts is not supported") //nolint:staticcheck // Digdag's text
	}
	var list []*Task
	for i, t := range m.Tasks {
		newer := slices.ContainsFunc(m.Tasks[i+1:], func(other *Task) bool { return other.Name == t.Name })
		if t.State == trowel.TaskSuccess && !newer {
			list = append(list, m.kept(t))
		}
	}
	return list, nil
}

// ResumeFrom lists the tasks before the newest one of that full name (X65, X66).
func (m *Model) ResumeFrom(name string) ([]*Task, error) {
	var from *Task
	for _, t := range m.Tasks {
		if t.Name == name {
			from = t
		}
	}
	var list []*Task
	for _, t := range m.Tasks {
		if !m.comesBefore(t, from) {
			continue
		}
		if t.State != trowel.TaskSuccess {
			return nil, fmt.Errorf("Resuming non-successful tasks is not allowed: task_id=%d", t.ID) //nolint:staticcheck // Digdag's text
		}
		list = append(list, m.kept(t))
	}
	return list, nil
}

// comesBefore reports whether t is an upstream of the task or of one above it, or below such a one.
func (m *Model) comesBefore(t, from *Task) bool {
	for ; t != nil; t = m.currentParent(t) {
		for at := from; at != nil; at = m.Task(at.Parent) {
			if m.isUpstream(t, at) {
				return true
			}
		}
	}
	return false
}

// currentParent is the parent, if the task is of its last round.
func (m *Model) currentParent(t *Task) *Task {
	parent := m.Task(t.Parent)
	if parent == nil || !slices.Contains(m.current(parent), t) {
		return nil
	}
	return parent
}

func (m *Model) isUpstream(t, of *Task) bool {
	for _, id := range of.Upstreams {
		if id == t.ID || m.isUpstream(t, m.Task(id)) {
			return true
		}
	}
	return false
}

// current lists the newest children of each name, without those that the operator has forgotten.
func (m *Model) current(of *Task) []*Task {
	var list []*Task
	all := m.children(of)
	for i, c := range all {
		newer := slices.ContainsFunc(all[i+1:], func(other *Task) bool { return other.Name == c.Name })
		if !newer && !c.Forgotten {
			list = append(list, c)
		}
	}
	return list
}

// kept is what a task leaves: no reset keys (X68), and of an operator what was stored below it (X70
// is mended).
func (m *Model) kept(t *Task) *Task {
	row := *t
	row.Result.ResetKeys = nil
	if !t.Group {
		row.Result.Store = t.Result.Store.Clone()
		m.mergeBelow(t, row.Result.Store)
	}
	return &row
}

func (m *Model) mergeBelow(t *Task, into *param.Map) {
	for _, c := range m.current(t) {
		for _, key := range c.Result.ResetKeys {
			into.DeletePath(key)
		}
		into.Merge(c.Result.Store)
		m.mergeBelow(c, into)
	}
}

// takeOver makes a new task the success of an earlier attempt (X67, X69).
func (m *Model) takeOver(t *Task) {
	for _, row := range m.resumed {
		if row.Name == t.Name && t.Parent != 0 {
			t.Group, t.Local, t.Export, t.Result, t.Error = row.Group, row.Local, row.Export, row.Result, row.Error
			t.State = trowel.TaskSuccess
			t.Resuming = row.ID
		}
	}
}

// keepGenerated forgets the resumed tasks that are not generated (X69).
func (m *Model) keepGenerated() {
	m.resumed = slices.DeleteFunc(slices.Clone(m.resumed), func(t *Task) bool { return !strings.Contains(t.Name, "^") })
}
